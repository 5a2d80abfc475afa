#pragma once
// A learner's answers: the Markdown file they are written in, and how a question is put.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/task/claims.hpp"
#include "judge/task/task.hpp"

namespace warpbook::task {

struct Answer {
  std::string text;  ///< trimmed; empty: not answered
  int line = 0;      ///< where it begins in answers.md; 0: not from a file
};

/// What a learner answered, by question id; "explanation" is the explanation's.
struct AnswerSheet {
  std::optional<std::uint64_t> seed;  ///< the variant the sheet was written for
  std::map<std::string, Answer> answers;
};

/// Reads answers.md. Errors, with their line: a heading that names no question, one that stands twice, a seed that is no number.
Result<AnswerSheet> read_answers(std::string_view text, const std::string& file, const Task& task);

/// How a sheet is written.
struct SheetOptions {
  std::uint64_t seed = 0;
  std::string language = "en";
  std::vector<Measurement> recorded;  ///< figures for the questions that show the learner's own
};

/// The Markdown file a learner fills in: every question with its prompt, steps and options of their variant.
std::string new_answer_sheet(const Task& task, const SheetOptions& options);

/// The same with answers in it, as `judge answer` saves them.
std::string write_answers(const Task& task, const AnswerSheet& sheet, const SheetOptions& options);

/// A sheet as it stands on disk, with those questions quoted anew that show figures of the learner's own. What the learner wrote stays.
std::string with_fresh_questions(std::string_view text, const Task& task, const SheetOptions& options);

/// A step or an option as shown: a letter, and which one it is.
struct ShownChoice {
  char letter = 'a';
  std::string id;
  Text text;
};

/// A question as one learner sees it.
struct ShownQuestion {
  Text prompt;                       ///< parameters and the learner's own figures filled in
  std::vector<ShownChoice> choices;  ///< order, choice: shuffled by the seed
  std::string how;                   ///< how to answer, one line: "the letters in order, e.g. c a b"
};

/// The question's variant for a learner; the same seed shows the same question on every machine, but for the figures of `recorded`.
ShownQuestion show_question(const Task& task, const Question& question, std::uint64_t seed, const std::vector<Measurement>& recorded = {});

/// Questions in the order of the sheet: the manifest's, then the explanation.
std::vector<const Question*> questions_of(const Task& task);

/// Answers that earn every point, letters and numbers as this seed shows them. `recorded` serves questions about measured figures.
AnswerSheet reference_answers(const Task& task, std::uint64_t seed = 0, const std::vector<Measurement>& recorded = {});

}  // namespace warpbook::task
