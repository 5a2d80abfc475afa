#pragma once
// Answers graded.
#include <cstdint>
#include <string>
#include <vector>

#include "judge/task/answers.hpp"
#include "judge/task/claims.hpp"
#include "judge/task/task.hpp"

namespace warpbook::task {

/// What one answer earned, and why.
struct QuestionResult {
  std::string id;
  QuestionKind kind = QuestionKind::kChoice;
  double points = 0, max_points = 0;
  bool answered = false;
  bool correct = false;       ///< all points
  std::string feedback;       ///< sentences for the learner
  std::string misconception;  ///< of a wrong option chosen
  bool veto = false;          ///< a fatal misconception, or a claim that no run shows
  std::string veto_evidence;  ///< what the veto rests on: the option chosen, or the claim and the records
  bool provisional = false;   ///< text: an instructor may override
  int line = 0;               ///< of the answer in answers.md, 0 when not known
};

/// What grading knows besides the answers.
struct GradeContext {
  std::uint64_t seed = 0;  ///< the variant; use the sheet's own where it has one
  std::string language = "en";
  std::vector<std::string> failed;    ///< tags or names of cases that failed and that the explanation must speak of
  std::vector<Measurement> recorded;  ///< measurements of this learner's runs of this task, oldest first
};

/// One result per question in the manifest's order, the explanation last.
std::vector<QuestionResult> grade_answers(const Task& task, const AnswerSheet& sheet, const GradeContext& context);

}  // namespace warpbook::task
