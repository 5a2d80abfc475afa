#include "judge/task/questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "judge/base/text.hpp"
#include "judge/task/measured.hpp"
#include "judge/task/number_text.hpp"
#include "judge/task/predict.hpp"
#include "judge/task/rubric.hpp"

namespace warpbook::task {
namespace {

constexpr double kHalf = 0.5;

/// One answer on its way to a result.
struct Grading {
  const Task& task;
  const Question& question;
  const Answer& answer;
  const GradeContext& context;
  ShownQuestion shown;
};

void all_points(QuestionResult& result) {
  result.points = result.max_points;
  result.correct = true;
}

void say(QuestionResult& result, const std::string& sentence) {
  if (sentence.empty()) return;
  result.feedback += fmt::format("{}{}", result.feedback.empty() ? "" : " ", sentence);
}

/// The ids that letters of an answer choose ("c a b", "c, a, b", "c -> a -> b", "cab"); the complaint is empty when all is well.
struct Chosen {
  std::vector<std::string> ids;
  std::string complaint;
};

Chosen chosen_ids(const Grading& grading) {
  // "Answer: c a b" is what many write under a line that says "Answer: the letters ...".
  constexpr std::string_view kLead = "answer:";
  std::string_view text = grading.answer.text;
  const auto same_letter = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  if (text.size() >= kLead.size() &&
      std::equal(kLead.begin(), kLead.end(), text.begin(), [&](char lead, char c) { return same_letter(c, lead); }))
    text.remove_prefix(kLead.size());
  std::string letters;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) return {{}, fmt::format("'{}' is not a list of letters; {}", grading.answer.text, grading.shown.how)};
    if (std::isalpha(byte)) letters += static_cast<char>(std::tolower(byte));
  }
  Chosen chosen;
  std::set<char> seen;
  for (const char letter : letters) {
    const auto found = std::find_if(grading.shown.choices.begin(), grading.shown.choices.end(),
                                    [&](const ShownChoice& choice) { return choice.letter == letter; });
    if (found == grading.shown.choices.end())
      return {{}, fmt::format("'{}' is none of the letters shown; expected {}", letter, grading.shown.how)};
    if (!seen.insert(letter).second) return {{}, fmt::format("the letter '{}' stands twice; expected {}", letter, grading.shown.how)};
    chosen.ids.push_back(found->id);
  }
  if (chosen.ids.empty()) chosen.complaint = fmt::format("no letter in the answer; expected {}", grading.shown.how);
  return chosen;
}

/// Length of the longest increasing run of positions that may skip: all but the steps that would have to move.
std::size_t steps_in_order(const std::vector<int>& positions) {
  std::vector<int> tails;
  for (const int position : positions) {
    const auto at = std::lower_bound(tails.begin(), tails.end(), position);
    if (at == tails.end()) {
      tails.push_back(position);
    } else {
      *at = position;
    }
  }
  return tails.size();
}

void grade_order(const Grading& grading, QuestionResult& result) {
  const Chosen chosen = chosen_ids(grading);
  if (!chosen.complaint.empty()) return say(result, chosen.complaint);
  std::vector<int> positions;
  std::size_t distractors = 0;
  const auto add_misconception = [&](const Text& text) {
    const std::string& misconception = text.in(grading.context.language);
    if (misconception.empty()) return;
    result.misconception += fmt::format("{}{}", result.misconception.empty() ? "" : " ", misconception);
  };
  for (const std::string& id : chosen.ids) {
    const auto step = std::find_if(grading.question.steps.begin(), grading.question.steps.end(),
                                   [&](const OrderStep& candidate) { return candidate.id == id; });
    distractors += step->position == 0;
    if (step->position == 0) add_misconception(step->misconception);
    positions.push_back(step->position);
  }
  const auto belongs = [](const OrderStep& step) { return step.position > 0; };
  const auto expected = static_cast<std::size_t>(std::count_if(grading.question.steps.begin(), grading.question.steps.end(), belongs));
  if (distractors > 0) return say(result, fmt::format("{} of the steps do not belong.", distractors));
  if (positions.size() < expected) return say(result, fmt::format("{} steps are missing.", expected - positions.size()));
  const std::size_t in_order = steps_in_order(positions);
  if (in_order == expected) return all_points(result);
  if (in_order + 1 < expected) return say(result, fmt::format("{} of {} steps would have to move.", expected - in_order, expected));
  result.points = kHalf * result.max_points;
  say(result, "One step stands in the wrong place.");
}

void grade_choice(const Grading& grading, QuestionResult& result) {
  const Chosen chosen = chosen_ids(grading);
  if (!chosen.complaint.empty()) return say(result, chosen.complaint);
  bool right = true;
  for (const Option& option : grading.question.options) {
    const bool is_chosen = std::find(chosen.ids.begin(), chosen.ids.end(), option.id) != chosen.ids.end();
    right = right && is_chosen == option.right;
    if (!is_chosen || option.right) continue;
    const std::string& misconception = option.misconception.in(grading.context.language);
    result.misconception += fmt::format("{}{}", result.misconception.empty() ? "" : " ", misconception);
    if (!option.veto) continue;
    result.veto = true;
    result.veto_evidence = fmt::format("'{}' was chosen. {}", option.text.in(grading.context.language), misconception);
  }
  if (right) return all_points(result);
  if (result.misconception.empty()) say(result, "Something right was left out.");
}

void grade_prediction(const Grading& grading, QuestionResult& result) {
  const auto variant = predict(grading.task.id, grading.question, grading.context.seed, grading.context.recorded);
  if (!variant || !variant->expected) return say(result, "The answer to this question cannot be computed.");
  const auto number = number_in(grading.answer.text);
  if (!number) return say(result, "The answer holds no number, or several; expected exactly one.");
  if (predicted(grading.question, *variant->expected, *number)) return all_points(result);
  say(result, fmt::format("{} is not it.", number_text(*number)));
  for (const WrongPrediction& wrong : grading.question.wrong) {
    const auto believed = wrong_prediction(wrong, *variant);
    if (!believed || !*believed || !predicted(grading.question, **believed, *number)) continue;
    result.misconception = wrong.misconception.in(grading.context.language);
    return;
  }
}

void veto_unbacked_claims(const Grading& grading, QuestionResult& result) {
  for (const Claim& claim : find_claims(grading.answer.text, grading.context.recorded)) {
    if (claim.backed) continue;
    result.veto = true;
    result.veto_evidence += fmt::format("{}'{}': {}", result.veto_evidence.empty() ? "" : "; ", claim.text, claim.evidence);
  }
}

void grade_text(const Grading& grading, QuestionResult& result) {
  result.provisional = true;
  if (grading.answer.text.size() > kLongestAnswer)
    return say(result, fmt::format("The answer is {} bytes long, at most {} are read.", grading.answer.text.size(), kLongestAnswer));
  for (const LinkMark& mark : mark_rubric(grading.task, grading.question, grading.answer.text)) {
    if (mark.earned) {
      result.points += mark.points;
      continue;
    }
    const std::string missing = !mark.has_cause && !mark.has_effect ? "neither cause nor effect is named"
                                : !mark.has_effect                  ? "the cause is named, its effect is not"
                                : !mark.has_cause                   ? "the effect is named, its cause is not"
                                                                    : "cause and effect stand too far apart to be linked";
    say(result, fmt::format("Link '{}': {}.", mark.name, missing));
  }
  result.points = std::min(result.points, result.max_points);
  const bool is_explanation = grading.question.id == kExplanationId;
  if (is_explanation && !grading.context.failed.empty() && !explains_failure(grading.answer.text, grading.context.failed)) {
    result.points *= kHalf;
    say(result, fmt::format("Cases failed; say which and why, e.g. '{}' failed because ...", grading.context.failed.front()));
  }
  constexpr double kSlack = 1e-9;
  if (result.points >= result.max_points - kSlack) all_points(result);
  veto_unbacked_claims(grading, result);
}

}  // namespace

std::vector<QuestionResult> grade_answers(const Task& task, const AnswerSheet& sheet, const GradeContext& context) {
  static const Answer nothing;
  std::vector<QuestionResult> results;
  for (const Question* question : questions_of(task)) {
    const auto found = sheet.answers.find(question->id);
    const Answer& answer = found == sheet.answers.end() ? nothing : found->second;
    QuestionResult result;
    result.id = question->id;
    result.kind = question->kind;
    result.max_points = question->points;
    result.line = answer.line;
    result.answered = !trimmed(answer.text).empty();
    if (!result.answered) {
      say(result, "No answer yet.");
      results.push_back(std::move(result));
      continue;
    }
    if (const auto missing = figures_lacking(*question, context.recorded); !missing.empty()) {
      say(result, fmt::format("No run on record measured '{}' yet. Run it first: judge run {}", missing.front(), task.id));
      results.push_back(std::move(result));
      continue;
    }
    const Grading grading{task, *question, answer, context, show_question(task, *question, context.seed, context.recorded)};
    switch (question->kind) {
      case QuestionKind::kOrder: grade_order(grading, result); break;
      case QuestionKind::kChoice: grade_choice(grading, result); break;
      case QuestionKind::kPredict: grade_prediction(grading, result); break;
      case QuestionKind::kText: grade_text(grading, result); break;
    }
    say(result, question->because.in(context.language));
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace warpbook::task
