#include "judge/grade/further_cases.hpp"

#include <fmt/format.h>

#include "judge/grade/grade.hpp"
#include "judge/grade/score.hpp"

namespace warpbook::grade {

CaseResult concealed(const CaseResult& result, int number) {
  CaseResult r;
  r.name = fmt::format("further-{}", number);
  r.kind = result.kind;
  r.about = "a further case, which stays hidden";
  r.verdict = result.verdict;
  r.reason = result.reason;
  if (r.verdict != Verdict::kAccepted) r.message = sentence_of(r.reason);
  return r;
}

void add_further_cases(task::Task task, const std::vector<task::Case>& cases, const Submission& submission, GradeOptions options,
                       SubmissionResult& result) {
  if (cases.empty() || result.cases.empty()) return;
  task.cases = cases;
  options.only_cases.clear();
  options.kernel_meters = options.line_meters = false;
  // The progress line would name them.
  if (options.progress)
    options.progress = [show = options.progress](int done, int total, const std::string&) { show(done, total, "a further case"); };
  const SubmissionResult further = grade_code(task, submission, options);
  int number = 0;
  for (const CaseResult& c : further.cases) result.cases.push_back(concealed(c, ++number));
  if (further.cases.empty()) {
    result.verdict = further.verdict;
    result.reason = further.reason;
    result.message = further.message;
    result.accepted = false;
  } else {
    result.accepted = false;
    summarise_cases(result);
  }
  if (result.accepted) return;
  // A medal is for an accepted kernel, and was given before these cases were known.
  result.medal = Medal::kNone;
  result.medal_reason.clear();
}

}  // namespace warpbook::grade
