#include "judge/learner/latest_failure.hpp"

#include <algorithm>

#include "judge/grade/result_json.hpp"

namespace warpbook::learner {
namespace {

/// Attempts looked at: beyond these only interrupted ones lie in between.
constexpr int kLookedAt = 20;

void add(std::vector<std::string>& labels, std::string_view label) {
  if (!label.empty() && std::find(labels.begin(), labels.end(), label) == labels.end()) labels.emplace_back(label);
}

std::vector<std::string> labels_of(const grade::SubmissionResult& result) {
  std::vector<std::string> labels;
  if (result.verdict == grade::Verdict::kAccepted) return labels;
  const auto of_failed = [&](const auto& label) {
    for (const grade::CaseResult& c : result.cases)
      if (c.verdict != grade::Verdict::kAccepted && c.verdict != grade::Verdict::kJudgeError) add(labels, label(c));
  };
  of_failed([](const grade::CaseResult& c) { return std::string_view(c.tag); });
  of_failed([](const grade::CaseResult& c) { return code_of(c.reason); });
  add(labels, code_of(result.reason));
  of_failed([](const grade::CaseResult& c) { return code_of(c.verdict); });
  add(labels, code_of(result.verdict));
  return labels;
}

}  // namespace

std::vector<std::string> latest_failure(store::Store& store, const std::string& task) {
  const auto attempts = store.attempts(task, kLookedAt);
  if (!attempts) return {};
  for (const store::Attempt& attempt : *attempts) {
    if (!attempt.finished_ms) continue;
    const auto result = grade::submission_from_text(attempt.outcome.result_json);
    if (result && result->verdict != grade::Verdict::kJudgeError) return labels_of(*result);
  }
  return {};
}

}  // namespace warpbook::learner
