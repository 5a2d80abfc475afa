#include "judge/commands/verify_diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "judge/grade/diagnosis_trial.hpp"
#include "judge/run/process.hpp"
#include "judge/task/task_folder.hpp"

namespace warpbook::commands {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kShownSuspects = 6;

std::string line_of(const grade::DiagnosisTrial& t, bool all, const report::Style& style) {
  if (!t.problem.empty()) return fmt::format("  {} {}: {}\n", style.paint(report::Ink::kYellow, "?    "), t.file, t.problem);
  const bool right = t.named == t.truth, silent = t.named == "none";
  const std::string mark = right    ? style.paint(report::Ink::kGreen, "right")
                           : silent ? style.paint(report::Ink::kYellow, "none ")
                                    : style.paint(report::Ink::kRed, "wrong");
  std::string out = fmt::format("  {} {}: {}", mark, t.file, t.truth);
  if (!right) out += fmt::format(", named {}", t.named);
  out += "\n";
  const std::size_t shown = all ? t.suspects.size() : right ? 0 : std::min(t.suspects.size(), kShownSuspects);
  for (std::size_t i = 0; i < shown; ++i) {
    const grade::Suspect& s = t.suspects[i];
    out += fmt::format("          {:.2f} alike, {:.2f} in error, {:.2f} in short rows, {:.2f} of the cases{}  {}\n", s.likeness, s.error,
                       s.probe, s.pattern, s.same_calls ? ", same calls" : "", s.mistake.name);
  }
  return out;
}

}  // namespace

Exit verify_diagnosis(const Context& context, const std::vector<task::Task>& tasks, const grade::GradeOptions& options,
                      const fs::path& folder, bool all) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return usage({fmt::format("--diagnosis: {} is not a folder", folder.string())});
  std::vector<grade::DiagnosisTrial> trials;
  int broken = 0;
  for (const task::Task& task : tasks) {
    const std::vector<fs::path> files = task::submissions_in(folder / task.id);
    if (!files.empty()) say(context.out.paint(report::Ink::kBold, task.id) + "\n");
    for (const fs::path& file : files) {
      grade::DiagnosisTrial t = grade::try_diagnosis(task, file, options);
      if (run::interrupted()) return could_not({"interrupted"});
      if (!t.problem.empty()) ++broken;
      if (all || t.named != t.truth || !t.problem.empty()) say(line_of(t, all, context.out));
      trials.push_back(std::move(t));
    }
  }
  const grade::DiagnosisFigures f = grade::count(trials);
  if (f.tried() == 0) return usage({fmt::format("--diagnosis: {} holds no TASK/*.cu to try", folder.string())});
  say(fmt::format("\n{} right, {} wrong, {} unnamed of {}{}\n", f.right, f.wrong, f.silent, f.tried(),
                  broken > 0 ? fmt::format("; {} could not be tried", broken) : ""));
  const bool enough = f.right >= grade::kLeastRight * f.tried() && f.wrong <= grade::kMostWrong * f.tried() && broken == 0;
  return enough ? Exit::kAccepted : Exit::kNotAccepted;
}

}  // namespace warpbook::commands
