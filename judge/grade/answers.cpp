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
    const device::Counters& n = c.counters;
    if (n.warp_instructions == 0) continue;  // never launched, or on a real GPU, which counts nothing
    const auto add = [&](std::string_view figure, double value, const char* unit) {
      out.push_back({fmt::format("{}: {}", c.name, figure), value, unit});
    };
    const auto count = [&](std::string_view figure, std::uint64_t value, const char* unit) {
      add(figure, static_cast<double>(value), unit);
    };
    const auto each = [&](std::string_view figure, std::uint64_t amount, std::uint64_t of, const char* unit) {
      if (of > 0) add(figure, static_cast<double>(amount) / static_cast<double>(of), unit);
    };
    for (const PassCount& p : c.passes) {
      add(fmt::format("passes {} read", p.tensor), p.read, "passes");
      add(fmt::format("passes {} written", p.tensor), p.write, "passes");
    }
    count("bytes read", n.global_load_bytes, "bytes");
    count("bytes written", n.global_store_bytes, "bytes");
    count("sectors read", n.global_load_sectors, "sectors");
    count("sectors written", n.global_store_sectors, "sectors");
    count("load requests", n.global_load_requests, "requests");
    count("store requests", n.global_store_requests, "requests");
    each("sectors per load", n.global_load_sectors, n.global_load_requests, "sectors");
    each("sectors per store", n.global_store_sectors, n.global_store_requests, "sectors");
    count("shared requests", n.shared_requests, "requests");
    count("shared wavefronts", n.shared_wavefronts, "wavefronts");
    each("wavefronts per request", n.shared_wavefronts, n.shared_requests, "wavefronts");
    count("barriers", n.barriers, "barriers");
    count("warp instructions", n.warp_instructions, "instructions");
    count("thread instructions", n.thread_instructions, "instructions");
    count("divergent branches", n.divergent_branches, "branches");
    if (c.worst && c.worst->bound > 0) add("error of bound", c.worst->error / c.worst->bound, "");
  }
  return out;
}

}  // namespace warpbook::grade
