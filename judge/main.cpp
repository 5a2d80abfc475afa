// judge: the table of commands. What each does is in judge/commands/.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include "judge/commands/command.hpp"
#include "judge/run/process.hpp"

namespace {

using namespace warpbook;
using commands::Exit;

struct Entry {
  std::string_view name, arguments, about;
  commands::Function run;
};

constexpr std::array kCommands{
    Entry{"list", "[--json]", "progress, medals, and what is next", commands::list},
    Entry{"show", "TASK", "the text of a lesson or problem", commands::show},
    Entry{"start", "TASK", "copies the exercise to work/TASK/", commands::start},
    Entry{"run", "TASK [FILE]", "grades", commands::run},
    Entry{"exec", "FILE.cu|PROGRAM [-- ...]", "runs any CUDA program on the virtual GPU, with all checks", commands::exec},
    Entry{"trace", "TASK [FILE]", "writes a page on which one block can be stepped through", commands::trace},
    Entry{"hint", "TASK", "the next hint", commands::hint},
    Entry{"answer", "TASK", "the questions of a task", commands::answer},
    Entry{"solution", "TASK", "the reference solution, once it is open", commands::solution},
    Entry{"verify", "[TASK...]", "the author's gate: proves that tests earn their place", commands::verify},
    Entry{"doctor", "", "what this machine can do, and how to add what it lacks", commands::doctor},
};

std::string help() {
  std::string text = "usage: judge COMMAND [ARGUMENTS]   (judge COMMAND --help tells more)\n\n";
  for (const Entry& e : kCommands) text += fmt::format("  {:30}{}\n", fmt::format("{} {}", e.name, e.arguments), e.about);
  return text + "\nTASK is an id or any unambiguous part of one: 05, layernorm\n";
}

/// The folder above lessons/: WARPBOOK_HOME, else the nearest one above the current folder, else where this program was built.
std::filesystem::path find_root(const std::filesystem::path& program_folder) {
  namespace fs = std::filesystem;
  if (const char* home = std::getenv("WARPBOOK_HOME"); home != nullptr && *home != '\0') return home;
  std::error_code ignored;
  for (const fs::path& from : {fs::current_path(ignored), program_folder})
    for (fs::path at = from; !at.empty(); at = at.parent_path()) {
      if (fs::is_directory(at / "lessons", ignored) && fs::is_directory(at / "exercises", ignored)) return at;
      if (at == at.root_path()) break;
    }
  return fs::current_path(ignored);
}

std::string find_language() {
  for (const char* name : {"WARPBOOK_LANG", "LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    return std::string_view(value).starts_with("zh") ? "zh" : "en";
  }
  return "en";
}

commands::Context make_context() {
  commands::Context context;
  std::error_code ignored;
  context.program_folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  context.root = find_root(context.program_folder);
  context.out = report::style_for(STDOUT_FILENO);
  context.err = report::style_for(STDERR_FILENO);
  context.language = find_language();
  return context;
}

Exit dispatch(const std::string& name, const commands::Arguments& arguments) {
  for (const Entry& e : kCommands)
    if (e.name == name) return e.run(make_context(), arguments);
  if (name == "help" || name == "--help" || name == "-h") {
    commands::say(help());
    return Exit::kAccepted;
  }
  commands::complain(fmt::format("error: no command '{}'\n\n{}", name, help()));
  return Exit::kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  run::install_interrupt_handler();
  const std::string name = argc > 1 ? argv[1] : "list";
  const commands::Arguments arguments(argv + std::min(argc, 2), argv + argc);
  try {
    return static_cast<int>(dispatch(name, arguments));
  } catch (const std::exception& e) {
    // Expected failures are values; what arrives here is ours, and never a verdict.
    commands::complain(fmt::format("judge error: {}\n", e.what()));
    return static_cast<int>(Exit::kCouldNot);
  }
}
