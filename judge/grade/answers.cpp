#include "judge/grade/answers.hpp"

#include <fmt/format.h>

namespace warpbook::grade {
namespace {

std::vector<std::string> failed_boundaries(const SubmissionResult& result) {
  std::vector<std::string> out;
  for (const CaseResult& c : result.cases)
    if (c.verdict != Verdict::kAccepted) out.push_back(c.tag.empty() ? c.name : c.tag);
  return out;
}

}  // namespace

void add_answers(const task::Task& task, const task::AnswerSheet& sheet, task::GradeContext context, SubmissionResult& result) {
  context.failed = failed_boundaries(result);
  for (const task::QuestionResult& q : task::grade_answers(task, sheet, context)) {
    AnswerResult a;
    a.id = q.id;
    a.points = q.points;
    a.of = q.max_points;
    a.answered = q.answered;
    a.provisional = q.provisional;
    a.feedback = q.feedback;
    a.misconception = q.misconception;
    result.answers.push_back(std::move(a));
    if (!q.veto) continue;
    const Reason reason = q.kind == task::QuestionKind::kText ? Reason::kUnprovenMeasurement : Reason::kFatalMisconception;
    result.vetoes.push_back({reason, fmt::format("{}: {}", q.id, q.veto_evidence)});
  }
}

std::vector<task::Measurement> measurements_of(const SubmissionResult& result) {
  std::vector<task::Measurement> out;
  for (const CaseResult& c : result.cases) {
    for (const PassCount& p : c.passes) {
      if (p.read > 0) out.push_back({fmt::format("{}: passes {} read", c.name, p.tensor), p.read, "passes"});
      if (p.write > 0) out.push_back({fmt::format("{}: passes {} written", c.name, p.tensor), p.write, "passes"});
    }
    if (c.counters.global_load_sectors > 0)
      out.push_back({c.name + ": sectors read", static_cast<double>(c.counters.global_load_sectors), "sectors"});
    if (c.counters.global_store_sectors > 0)
      out.push_back({c.name + ": sectors written", static_cast<double>(c.counters.global_store_sectors), "sectors"});
    if (c.counters.global_load_bytes > 0)
      out.push_back({c.name + ": bytes read", static_cast<double>(c.counters.global_load_bytes), "bytes"});
  }
  return out;
}

}  // namespace warpbook::grade
