#include "judge/task/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"
#include "judge/task/measured.hpp"
#include "judge/task/number_text.hpp"
#include "judge/task/place.hpp"
#include "judge/task/predict.hpp"
#include "judge/task/suggest.hpp"
#include "judge/task/variant_seed.hpp"

namespace warpbook::task {
namespace {

constexpr std::string_view kSeedNote = "<!-- variant ";
constexpr std::string_view kNoteEnd = "-->";

/// Reads line by line; what stands under a heading, without the quote and comments, is the answer.
class AnswerReader {
 public:
  AnswerReader(std::string_view text, const std::string& file, const Task& task) : text_(text), file_(file) {
    for (const Question* question : questions_of(task)) ids_.push_back(question->id);
  }

  Result<AnswerSheet> run() {
    int number = 0;
    for (const std::string& line : split_lines(text_)) {
      ++number;
      if (auto error = take(line, number)) return *error;
    }
    for (auto& [id, answer] : sheet_.answers) answer.text = std::string(trimmed(answer.text));
    return std::move(sheet_);
  }

 private:
  std::optional<Error> fail(int number, std::string what) const { return error_at_line(text_, number, 1, file_, std::move(what)); }

  std::optional<Error> take(const std::string& line, int number) {
    if (line.starts_with("```") || line.starts_with("~~~")) in_fence_ = !in_fence_;
    if (in_fence_) {
      keep(line, number);
      return {};
    }
    if (line.starts_with(kSeedNote)) return seed(line, number);
    if (line.starts_with("## ") && !in_comment_) return heading(line, number);
    if (line.starts_with(">") && !in_comment_) return {};
    keep(without_comments(line), number);
    return {};
  }

  std::optional<Error> seed(const std::string& line, int number) {
    const auto words = words_of(std::string_view(line).substr(kSeedNote.size()));
    std::uint64_t value = 0;
    const bool digits = !words.empty() && words[0].size() <= 16 && words[0].find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!digits || words.back() != kNoteEnd)
      return fail(number, "the variant's number cannot be read, expected the line as 'judge answer' wrote it");
    value = std::stoull(words[0], nullptr, 16);
    sheet_.seed = value;
    return {};
  }

  std::optional<Error> heading(const std::string& line, int number) {
    const std::string_view rest = trimmed(std::string_view(line).substr(2));
    const std::string id(rest.substr(0, rest.find_first_of(" \t:.")));
    if (std::find(ids_.begin(), ids_.end(), id) == ids_.end())
      return fail(number, fmt::format("'{}' is not a question of this task, {}", id, expected_one_of(id, ids_)));
    if (sheet_.answers.count(id) > 0) return fail(number, fmt::format("question '{}' is answered twice, expected one heading", id));
    current_ = &sheet_.answers[id];
    return {};
  }

  /// The line without `<!-- ... -->`, which may go on over lines.
  std::string without_comments(std::string_view line) {
    std::string out;
    while (!line.empty()) {
      const std::string_view edge = in_comment_ ? kNoteEnd : std::string_view("<!--");
      const std::size_t at = line.find(edge);
      if (!in_comment_) out += line.substr(0, at);
      if (at == std::string_view::npos) break;
      in_comment_ = !in_comment_;
      line.remove_prefix(at + edge.size());
    }
    return out;
  }

  void keep(const std::string& line, int number) {
    if (current_ == nullptr) return;
    if (current_->line == 0 && !trimmed(line).empty()) current_->line = number;
    current_->text += line + "\n";
  }

  std::string_view text_;
  const std::string& file_;
  std::vector<std::string> ids_;
  AnswerSheet sheet_;
  Answer* current_ = nullptr;
  bool in_fence_ = false, in_comment_ = false;
};

std::string as_quote(std::string_view text) {
  std::string out;
  for (const std::string& line : split_lines(text)) out += fmt::format(">{}{}\n", line.empty() ? "" : " ", line);
  return out;
}

/// Whether the shuffle happens to show the steps already in order.
bool shows_solution(const std::vector<const OrderStep*>& steps) {
  int last = 0;
  for (const OrderStep* step : steps) {
    if (step->position == 0) continue;
    if (step->position < last) return false;
    last = step->position;
  }
  return true;
}

template <class Item>
std::vector<const Item*> shuffled(const std::vector<Item>& items, VariantSeed& stream) {
  std::vector<const Item*> order;
  for (const Item& item : items) order.push_back(&item);
  shuffle(order, stream);
  return order;
}

template <class Item>
std::vector<ShownChoice> lettered(const std::vector<const Item*>& items) {
  std::vector<ShownChoice> choices;
  char letter = 'a';
  for (const Item* item : items) choices.push_back({letter++, item->id, item->text});
  return choices;
}

/// Parameters as a prompt shows them: one that waits for a figure asks for the run that measures it.
Parameters shown_parameters(const Variant& variant, const std::string& task_id, const std::string& language) {
  Parameters parameters = variant.parameters;
  for (auto& [name, value] : parameters)
    if (value.empty()) value = run_it_first(task_id, language);
  return parameters;
}

/// Prompt, letters and how to answer, as they stand below a heading.
std::string quoted_question(const Task& task, const Question& question, const SheetOptions& options) {
  const ShownQuestion shown = show_question(task, question, options.seed, options.recorded);
  std::string out = as_quote(shown.prompt.in(options.language));
  for (const ShownChoice& choice : shown.choices)
    out += fmt::format(">\n{}", as_quote(fmt::format("{}) {}", choice.letter, choice.text.in(options.language))));
  return out + fmt::format(">\n> Answer: {}.\n", shown.how);
}

std::string letters_of(const ShownQuestion& shown, const std::vector<std::string>& ids) {
  std::string letters;
  for (const std::string& id : ids)
    for (const ShownChoice& choice : shown.choices)
      if (choice.id == id) letters += fmt::format("{}{}", letters.empty() ? "" : " ", choice.letter);
  return letters;
}

std::string reference_of(const Task& task, const Question& question, std::uint64_t seed, const std::vector<Measurement>& recorded) {
  const ShownQuestion shown = show_question(task, question, seed, recorded);
  std::vector<std::string> ids;
  switch (question.kind) {
    case QuestionKind::kOrder: {
      std::map<int, std::string> by_position;
      for (const OrderStep& step : question.steps)
        if (step.position > 0) by_position[step.position] = step.id;
      for (const auto& [position, id] : by_position) ids.push_back(id);
      return letters_of(shown, ids);
    }
    case QuestionKind::kChoice:
      for (const Option& option : question.options)
        if (option.right) ids.push_back(option.id);
      return letters_of(shown, ids);
    case QuestionKind::kPredict: {
      const auto variant = predict(task.id, question, seed, recorded);
      return variant && variant->expected ? number_text(*variant->expected) : "";
    }
    case QuestionKind::kText: break;
  }
  return question.reference.in("en");
}

}  // namespace

std::vector<const Question*> questions_of(const Task& task) {
  std::vector<const Question*> all;
  for (const Question& question : task.questions) all.push_back(&question);
  if (task.explanation) all.push_back(&*task.explanation);
  return all;
}

ShownQuestion show_question(const Task& task, const Question& question, std::uint64_t seed, const std::vector<Measurement>& recorded) {
  ShownQuestion shown;
  shown.prompt = question.prompt;
  VariantSeed stream(task.id, question.id, seed);
  switch (question.kind) {
    case QuestionKind::kOrder: {
      auto steps = shuffled(question.steps, stream);
      if (shows_solution(steps)) std::reverse(steps.begin(), steps.end());
      shown.choices = lettered(steps);
      shown.how = "the letters of the steps in order, without those that do not belong, e.g. c a b";
      break;
    }
    case QuestionKind::kChoice: {
      shown.choices = lettered(shuffled(question.options, stream));
      const auto rights =
          std::count_if(question.options.begin(), question.options.end(), [](const Option& option) { return option.right; });
      shown.how = rights == 1 ? "one letter" : fmt::format("{} letters", rights);
      break;
    }
    case QuestionKind::kPredict:
      shown.how = "one number";
      if (const auto variant = predict(task.id, question, seed, recorded)) {
        for (auto& [language, prompt] : shown.prompt.by_language)
          if (auto filled = fill_in(prompt, shown_parameters(*variant, task.id, language))) prompt = *filled;
      }
      break;
    case QuestionKind::kText: shown.how = "a few sentences: what causes what; a figure you measured as 'measured: NUMBER UNIT'"; break;
  }
  for (auto& [language, prompt] : shown.prompt.by_language) prompt = fill_figures(prompt, recorded, task.id, language);
  return shown;
}

Result<AnswerSheet> read_answers(std::string_view text, const std::string& file, const Task& task) {
  if (const std::size_t good = text_length(text); good < text.size()) return not_text(text, good, file, "expected answers in Markdown");
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return AnswerReader(text, file, task).run();
}

std::string new_answer_sheet(const Task& task, const SheetOptions& options) { return write_answers(task, {}, options); }

std::string write_answers(const Task& task, const AnswerSheet& sheet, const SheetOptions& options) {
  std::string out = fmt::format("# {}\n\nWrite each answer below its question.\n{}{:016x} {}\n", task.title.in(options.language), kSeedNote,
                                options.seed, kNoteEnd);
  for (const Question* question : questions_of(task)) {
    out += fmt::format("\n## {}\n\n{}\n", question->id, quoted_question(task, *question, options));
    const auto answer = sheet.answers.find(question->id);
    if (answer != sheet.answers.end() && !answer->second.text.empty()) out += answer->second.text + "\n";
  }
  return out;
}

std::string with_fresh_questions(std::string_view text, const Task& task, const SheetOptions& options) {
  std::string out;
  const Question* pending = nullptr;  // its heading was passed, its quote was not
  bool in_quote = false;
  for (const std::string& line : split_lines(text)) {
    if (line.starts_with("## ")) {
      const std::string_view rest = trimmed(std::string_view(line).substr(2));
      const std::string_view id = rest.substr(0, rest.find_first_of(" \t:."));
      pending = nullptr;
      for (const Question* question : questions_of(task))
        if (question->id == id && !figures_of(*question).empty()) pending = question;
    }
    in_quote = line.starts_with(">") && (in_quote || pending != nullptr);
    if (in_quote && pending != nullptr) out += quoted_question(task, *pending, options);
    if (in_quote) pending = nullptr;
    if (!in_quote) out += line + "\n";
  }
  return out;
}

AnswerSheet reference_answers(const Task& task, std::uint64_t seed, const std::vector<Measurement>& recorded) {
  AnswerSheet sheet;
  sheet.seed = seed;
  for (const Question* question : questions_of(task)) sheet.answers[question->id] = {reference_of(task, *question, seed, recorded), 0};
  return sheet;
}

}  // namespace warpbook::task
