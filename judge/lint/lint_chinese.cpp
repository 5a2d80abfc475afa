// A translation is not compared by file times, which a checkout makes anew, but by what both texts must share: headings, code regions,
// figures, folded questions, numbers. Who has brought a translation up to date may also write down of which English it is.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "judge/base/files.hpp"
#include "judge/base/hash.hpp"
#include "judge/lint/lint.hpp"
#include "judge/lint/markdown_parts.hpp"
#include "judge/task/task_folder.hpp"

namespace warpbook::lint {
namespace {

/// In the translation, on a line of its own: `<!-- of lesson.md 0123456789abcdef -->`.
constexpr std::string_view kNote = "<!-- of ";
constexpr std::size_t kHashDigits = 16;

std::string short_hash(const std::string& text) { return content_hash(text).substr(0, kHashDigits); }

/// The hash that the translation names; empty: none.
std::string recorded_hash(const std::string& translated) {
  for (const std::string& line : split_lines(translated)) {
    if (!line.starts_with(kNote)) continue;
    const std::size_t end = line.find(" -->");
    if (end == std::string::npos || end < kHashDigits) continue;
    return line.substr(end - kHashDigits, kHashDigits);
  }
  return {};
}

std::vector<std::string> figures_of(const MarkdownParts& parts) {
  std::vector<std::string> figures;
  for (const Link& link : parts.links)
    if (link.image) figures.push_back(link.target);
  return figures;
}

/// What `a` holds more often than `b`.
std::vector<std::string> missing_in(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> out;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Whole numbers below this are written as words in one language and as digits in the other.
bool tells_something(const std::string& number) { return number.size() > 1; }

void compare(const task::Task& task, const std::string& english_text, const std::string& chinese_text, std::vector<Note>& notes) {
  const std::string file = task::text_file(task, "zh").string(), english_name = task::text_file(task).filename().string();
  const auto add = [&](std::string what) { notes.push_back({std::move(what), {file}, {}}); };
  const MarkdownParts english = markdown_parts(english_text), chinese = markdown_parts(chinese_text);
  if (const std::string of = recorded_hash(chinese_text); !of.empty() && of != short_hash(english_text))
    add(fmt::format("is of an older {}: it names {}, expected {}", english_name, of, short_hash(english_text)));
  const auto levels = [](const MarkdownParts& parts) {
    std::vector<int> out;
    for (const Heading& heading : parts.headings) out.push_back(heading.level);
    return out;
  };
  if (levels(english) != levels(chinese))
    add(fmt::format("has {} headings, {} has {}, in the same order of levels", chinese.headings.size(), english_name,
                    english.headings.size()));
  if (english.regions != chinese.regions)
    add(fmt::format("shows the code {}; {} shows {}", fmt::join(chinese.regions, ", "), english_name, fmt::join(english.regions, ", ")));
  if (figures_of(english) != figures_of(chinese)) add(fmt::format("does not show the figures of {}", english_name));
  if (english.folded != chinese.folded)
    add(fmt::format("has {} folded questions, {} has {}", chinese.folded, english_name, english.folded));
  if (english.tables.size() != chinese.tables.size())
    add(fmt::format("has {} tables, {} has {}", chinese.tables.size(), english_name, english.tables.size()));
  auto lost = missing_in(english.numbers, chinese.numbers);
  lost.erase(std::remove_if(lost.begin(), lost.end(), [](const std::string& n) { return !tells_something(n); }), lost.end());
  constexpr std::size_t kForgiven = 2;
  if (lost.size() > kForgiven) add(fmt::format("lacks numbers of {}: {}", english_name, fmt::join(lost, ", ")));
}

/// Texts of the manifest, and which of them have no Chinese.
struct Untranslated {
  std::size_t all = 0;
  std::map<std::string, std::size_t> lacking;  ///< by kind: "hint", "prompt", ...

  void take(const std::string& kind, const task::Text& text) {
    if (text.by_language.empty()) return;
    ++all;
    if (text.by_language.count("zh") == 0) ++lacking[kind];
  }
};

void check_manifest(const task::Task& task, std::vector<Note>& notes) {
  Untranslated strings;
  strings.take("title", task.title);
  for (const task::Case& c : task.cases) {
    ++strings.all;
    if (c.about_in.count("zh") == 0) ++strings.lacking["about"];
  }
  for (const task::Blank& blank : task.blanks) {
    for (const task::Text& hint : blank.hints) strings.take("hint", hint);
    for (const task::TaggedHint& hint : blank.tagged) strings.take("hint", hint.text);
  }
  const auto take_question = [&](const task::Question& q) {
    strings.take("prompt", q.prompt);
    strings.take("because", q.because);
    if (q.kind == task::QuestionKind::kText) strings.take("reference", q.reference);
    for (const task::OrderStep& step : q.steps) {
      strings.take("step", step.text);
      strings.take("misconception", step.misconception);
    }
    for (const task::Option& option : q.options) {
      strings.take("option", option.text);
      strings.take("misconception", option.misconception);
    }
    for (const task::WrongPrediction& wrong : q.wrong) strings.take("misconception", wrong.misconception);
  };
  for (const task::Question& q : task.questions) take_question(q);
  if (task.explanation) take_question(*task.explanation);
  std::size_t lacking = 0;
  std::string kinds;
  for (const auto& [kind, count] : strings.lacking) {
    lacking += count;
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, kind);
  }
  if (lacking > 0)
    notes.push_back({fmt::format("{} of {} texts lack their Chinese (xml:lang=\"zh\"): {}", lacking, strings.all, kinds),
                     {task::manifest_file(task).string()},
                     {}});
}

}  // namespace

void lint_chinese(const task::Task& task, std::vector<Note>& notes) {
  check_manifest(task, notes);
  const auto english = read_file(task::text_file(task)), chinese = read_file(task::text_file(task, "zh"));
  if (!chinese) return notes.push_back({"is missing, expected the text in Chinese", {task::text_file(task, "zh").string()}, {}});
  if (english) compare(task, *english, *chinese, notes);
}

}  // namespace warpbook::lint
