#include "judge/grade/grade.hpp"

#include <chrono>

#include "judge/grade/add_occupancy.hpp"
#include "judge/grade/build.hpp"
#include "judge/grade/case_jobs.hpp"
#include "judge/grade/score.hpp"

namespace warpbook::grade {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

SubmissionResult grade_code(const task::Task& task, const Submission& submission, const GradeOptions& options) {
  const auto start = Clock::now();
  Built built = build_code(task, submission, options);
  SubmissionResult r = std::move(built.result);
  if (!built.artifact) return r;
  if (options.on_compiled) options.on_compiled(r);
  r.cases = run_cases(task, *built.artifact, options);
  if (options.kernel_meters && options.device == DeviceKind::kVirtual) r.no_occupancy = add_occupancy(r.cases, *built.artifact, options);
  summarise_cases(r);
  judge_medal(task, r);
  // Nothing here measures time on a GPU; passes are not counted there either.
  if (options.device == DeviceKind::kGpu && task.kind == task::TaskKind::kExercise) judge_share(std::nullopt, r);
  r.seconds = seconds_since(start);
  return r;
}

SubmissionResult review_code(const task::Task& task, const Submission& submission, const GradeOptions& options) {
  SubmissionResult r = begin_result(task, submission, options);
  r.provenance.device = "no device";
  r.provenance.toolchain = "no nvcc";
  if (!take_blanks(r, task, submission)) return r;
  return end_result(std::move(r), Verdict::kJudgeError, Reason::kNotRun, std::string(sentence_of(Reason::kNotRun)));
}

void finish(const task::Task& task, SubmissionResult& result) {
  if (!result.vetoes.empty() && result.verdict == Verdict::kAccepted) {
    result.verdict = Verdict::kVeto;
    result.reason = result.vetoes.front().reason;
    result.message = std::string(sentence_of(result.reason));
  }
  result.accepted = result.accepted && result.vetoes.empty();
  result.score = score(task, result);
  result.passed = result.accepted && result.score.total() >= kPassPoints;
}

}  // namespace warpbook::grade
