#include "judge/commands/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "judge/commands/command.hpp"

namespace warpbook::commands {
namespace {
constexpr int kBarWidth = 24;
}

void Progress::show(int done, int total, const std::string& what) {
  if (::isatty(STDERR_FILENO) == 0) return;
  const int filled = total > 0 ? kBarWidth * done / total : 0;
  const std::string bar =
      std::string(static_cast<std::size_t>(filled), '#') + std::string(static_cast<std::size_t>(kBarWidth - filled), '.');
  complain(fmt::format("\r\x1b[K  [{}] {}/{} {}", style_.paint(report::Ink::kGreen, bar), done, total, what));
  shown_ = true;
}

void Progress::clear() {
  if (shown_) complain("\r\x1b[K");
  shown_ = false;
}

}  // namespace warpbook::commands
