#include "judge/commands/command.hpp"

#include <cstdio>

namespace warpbook::commands {
namespace {

void write(std::FILE* to, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), to);
  std::fflush(to);
}

}  // namespace

void say(std::string_view text) { write(stdout, text); }
void complain(std::string_view text) { write(stderr, text); }

Exit usage(const Error& error) {
  complain(error.text() + "\n");
  return Exit::kUsage;
}

Exit could_not(const Error& error) {
  complain(error.text() + "\n");
  return Exit::kCouldNot;
}

}  // namespace warpbook::commands
