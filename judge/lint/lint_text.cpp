#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"
#include "judge/lint/lint.hpp"
#include "judge/lint/markdown_parts.hpp"
#include "judge/run/process.hpp"
#include "judge/task/task_folder.hpp"

namespace warpbook::lint {
namespace {

constexpr std::size_t kFewestWords = 600, kMostWords = 1500;
constexpr std::size_t kFewestTerms = 8;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Whether `term` stands in `text` as a word of its own, plural or not.
bool uses(const std::string& text, const std::string& term) {
  const auto is_letter = [&](std::size_t i) { return i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) != 0; };
  for (std::size_t at = text.find(term); at != std::string::npos; at = text.find(term, at + 1)) {
    const std::size_t end = at + term.size();
    const bool ends = !is_letter(end) || ((text.compare(end, 1, "s") == 0) && !is_letter(end + 1)) ||
                      (text.compare(end, 2, "es") == 0 && !is_letter(end + 2));
    if ((at == 0 || !is_letter(at - 1)) && ends) return true;
  }
  return false;
}

/// The first column of the table below "## Glossary" in lessons/README.md; "grid, block" are two terms.
std::vector<std::string> glossary(const std::filesystem::path& root) {
  const auto text = read_file(root / "lessons" / "README.md");
  std::vector<std::string> terms;
  bool inside = false;
  for (const std::string& line : text ? split_lines(*text) : std::vector<std::string>{}) {
    if (line.starts_with("## ")) inside = line.find("Glossary") != std::string::npos;
    if (!inside || !line.starts_with("| ") || line.starts_with("| term") || line.starts_with("|--")) continue;
    std::string cell(line.substr(1, line.find('|', 1) - 1));
    for (std::size_t at = 0; at <= cell.size();) {
      const std::size_t comma = std::min(cell.find(',', at), cell.size());
      if (const std::string_view term = trimmed(std::string_view(cell).substr(at, comma - at)); !term.empty())
        terms.emplace_back(lower(std::string(term)));
      at = comma + 1;
    }
  }
  return terms;
}

/// Words of the judge, which hints and questions may use without the text's help.
bool is_of_the_judge(const std::string& term) {
  constexpr const char* kTerms[] = {"blank", "case", "verdict", "kill", "bound"};
  return std::find(std::begin(kTerms), std::end(kTerms), term) != std::end(kTerms);
}

/// Everything that a learner reads in hints and questions.
std::string words_of_manifest(const task::Task& task) {
  std::string words;
  const auto add = [&](const task::Text& text) { words += text.in("en") + "\n"; };
  for (const task::Blank& blank : task.blanks) {
    for (std::size_t level = 0; level + 1 < blank.hints.size(); ++level) add(blank.hints[level]);
    for (const task::TaggedHint& hint : blank.tagged) add(hint.text);
  }
  for (const task::Question& q : task.questions) {
    add(q.prompt);
    for (const task::OrderStep& step : q.steps) add(step.text);
    for (const task::Option& option : q.options) add(option.text);
  }
  return lower(words);
}

void check_terms(const task::Task& task, const Options& options, const std::string& text, std::vector<Note>& notes) {
  const std::string file = task::text_file(task).string(), lesson = lower(text), manifest = words_of_manifest(task);
  std::size_t used = 0;
  std::vector<std::string> only_asked;
  for (const std::string& term : glossary(options.root)) {
    if (uses(lesson, term)) ++used;
    else if (uses(manifest, term) && !is_of_the_judge(term)) only_asked.push_back(term);
  }
  if (used < kFewestTerms)
    notes.push_back(
        {fmt::format("the text uses {} terms of the glossary (lessons/README.md), expected at least {}", used, kFewestTerms), {file}, {}});
  if (!only_asked.empty())
    notes.push_back({fmt::format("hints or questions speak of {}, the text does not", fmt::join(only_asked, ", ")), {file}, {}});
}

/// What is wrong with a figure to step through: it must be of the program beside it as that stands now. That the program still does the
/// same is judge/trace/figure_test.cpp's to find; here no toolkit is needed. Empty: nothing, or it is no such figure.
std::string recording_fault(const std::filesystem::path& folder, const std::string& path) {
  if (!path.ends_with(".trace")) return {};
  const std::filesystem::path file = folder / path, program = std::filesystem::path(file).replace_extension(".cu");
  const auto recorded = read_file(file), text = read_file(program);
  if (!text) return fmt::format("{} has no program beside it, expected {}", path, program.filename().string());
  const nlohmann::json data = recorded ? nlohmann::json::parse(*recorded, nullptr, false) : nlohmann::json();
  const nlohmann::json::json_pointer program_of("/files/0/text");
  if (data.is_object() && data.value(program_of, nlohmann::json()) == *text) return {};
  return fmt::format("{} is not of {} as it stands, expected `judge trace {} --figures` after a change", path, program.filename().string(),
                     folder.filename().string());
}

void check_links(const task::Task& task, const Options& options, const std::filesystem::path& file, const MarkdownParts& parts,
                 std::vector<Note>& notes) {
  for (const Link& link : parts.links) {
    const Where where{file.string(), link.line, 0};
    if (link.target.starts_with("http://") || link.target.starts_with("https://")) {
      if (!options.network) continue;
      const auto answer = run::run({{"curl", "-sfIL", "--max-time", "15", "-o", "/dev/null", link.target}, {}, {}, true, {}, {}});
      if (!answer) {
        notes.push_back({fmt::format("links cannot be tried: {}", answer.error().what), where, {}});
        return;
      }
      if (!answer->ok()) notes.push_back({fmt::format("the link {} does not answer", link.target), where, {}});
      continue;
    }
    const std::string path = link.target.substr(0, link.target.find('#'));
    std::error_code ignored;
    if (!path.empty() && !std::filesystem::exists(task.folder / path, ignored))
      notes.push_back({fmt::format("the link leads to '{}', which is not there", link.target), where, {}});
    else if (const std::string fault = recording_fault(task.folder, path); link.image && !fault.empty())
      notes.push_back({fault, where, {}});
  }
}

void check_parts(const task::Task& task, const MarkdownParts& parts, std::vector<Note>& notes) {
  const std::string file = task::text_file(task).string();
  const auto add = [&](std::string what) { notes.push_back({std::move(what), {file}, {}}); };
  if (std::none_of(parts.links.begin(), parts.links.end(), [](const Link& l) { return l.image && l.target.ends_with(".svg"); }))
    add("no figure, expected at least one ![what it shows](figure.svg)");
  if (parts.regions.empty()) add("no code region, expected {{code FILE#NAME}}");
  if (parts.folded < kFoldedQuestions)
    add(fmt::format("{} folded questions (<details><summary>), expected {}", parts.folded, kFoldedQuestions));
  const auto is_cost = [](const Table& t) { return lower(t.section).find("cost") != std::string::npos; };
  constexpr int kWorkedRows = 2;
  if (std::none_of(parts.tables.begin(), parts.tables.end(),
                   [&](const Table& t) { return !is_cost(t) && t.rows_with_numbers >= kWorkedRows; }))
    add("no table with a counter-example worked in numbers");
  if (std::none_of(parts.tables.begin(), parts.tables.end(), is_cost))
    add("no table of what it costs, below a heading with the word 'cost'");
  for (const char* section : {"wrong", "cost", "test yourself", "read next"})
    if (std::none_of(parts.headings.begin(), parts.headings.end(),
                     [&](const Heading& h) { return lower(h.text).find(section) != std::string::npos; }))
      add(fmt::format("no heading with '{}', expected the shape of lessons/STYLE.md", section));
  if (parts.words < kFewestWords || parts.words > kMostWords + kFewestWords)
    add(fmt::format("{} words, expected {} to {}", parts.words, kFewestWords, kMostWords));
}

}  // namespace

void lint_text(const task::Task& task, const Options& options, std::vector<Note>& notes) {
  const auto text = read_file(task::text_file(task));
  if (!text) return notes.push_back(text.error());
  const MarkdownParts parts = markdown_parts(*text);
  if (task.kind == task::TaskKind::kLesson) {
    check_parts(task, parts, notes);
    check_terms(task, options, *text, notes);
  }
  check_links(task, options, task::text_file(task), parts, notes);
  const auto translated = read_file(task::text_file(task, "zh"));
  if (translated) check_links(task, options, task::text_file(task, "zh"), markdown_parts(*translated), notes);
}

}  // namespace warpbook::lint
