#include "judge/grade/matrix_file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbook::grade {
namespace {

constexpr std::string_view kOpens = "<!-- kill matrix: written by `judge verify", kCloses = "<!-- end of kill matrix -->\n";

/// A text that may stand in a cell of a table.
std::string in_cell(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

/// What a file of the task is, by its name; empty for files that the table leaves out.
std::string purpose_of(const std::string& name) {
  if (name == "lesson.md") return "the text";
  if (name == "lesson.zh.md") return "the text in Chinese";
  if (name == "problem.md") return "the problem";
  if (name == "problem.zh.md") return "the problem in Chinese";
  if (name == "lesson.xml" || name == "exercise.xml") return "the manifest";
  if (name == "exercise.cu") return "the file with the blanks";
  if (name == "starter.cu") return "what a learner begins with";
  if (name == "solution.cu") return "the solution";
  if (name.ends_with(".svg")) return "a figure of the text";
  return {};
}

std::string file_table(const task::Task& task) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& item : fs::directory_iterator(task.folder, ignored)) names.push_back(item.path().filename().string());
  std::sort(names.begin(), names.end());
  std::string out = "| file | what it is |\n|---|---|\n";
  for (const std::string& name : names)
    if (const std::string purpose = purpose_of(name); !purpose.empty()) out += fmt::format("| `{}` | {} |\n", name, purpose);
  return out;
}

std::string case_list(const task::Task& task) {
  std::string out = "| | case | |\n|---|---|---|\n";
  int number = 0;
  for (const task::Case& c : task.cases)
    out += fmt::format("| {} | {} | {}{}, {} x {} |\n", ++number, c.name, c.kind == task::CaseKind::kNormal ? "normal: " : "",
                       in_cell(c.about), c.rows, c.cols);
  return out;
}

std::string cell(Verdict verdict) { return verdict == Verdict::kAccepted ? "." : std::string(code_of(verdict)); }

/// Verdicts by the manifest's order of cases; a submission that never came to its cases has its verdict in each.
std::string row(const task::Task& task, const Entry& e) {
  std::string out = fmt::format("| `{}` |", e.name);
  for (const task::Case& c : task.cases) {
    const auto found = std::find_if(e.result.cases.begin(), e.result.cases.end(), [&](const CaseResult& r) { return r.name == c.name; });
    out += fmt::format(" {} |", cell(found == e.result.cases.end() ? e.result.verdict : found->verdict));
  }
  out += fmt::format(" {} | {} |\n",
                     e.result.medal == Medal::kLost   ? "lost"
                     : e.result.medal == Medal::kGold ? "."
                                                      : "",
                     in_cell(e.header.mistake));
  return out;
}

std::string matrix(const task::Task& task, const std::vector<Entry>& entries) {
  std::string out = "| |", line = "|---|";
  for (std::size_t i = 0; i < task.cases.size(); ++i) {
    out += fmt::format(" {} |", i + 1);
    line += "---|";
  }
  out += " medal | mistake |\n" + line + "---|---|\n";
  for (const Entry& e : entries)
    if (e.kind == EntryKind::kWrong || e.header.medal_lost) out += row(task, e);
  return out;
}

std::string right_ones(const std::vector<Entry>& entries) {
  std::string out;
  for (const Entry& e : entries)
    if (e.kind != EntryKind::kWrong && !e.header.medal_lost) out += fmt::format("{}`{}`", out.empty() ? "" : ", ", e.name);
  return out;
}

}  // namespace

std::string matrix_section(const task::Task& task, const std::vector<Entry>& entries) {
  return fmt::format(
      "{} {} --write-matrix` -->\n## Files\n{}\n## Cases\n{}\n## Kill matrix\nWhat each wrong submission gets in each case (`.` is "
      "accepted), and "
      "whether its medal is lost. {} are accepted in every case and order.\n\n{}{}",
      kOpens, task.id, file_table(task), case_list(task), right_ones(entries), matrix(task, entries), kCloses);
}

std::string with_section(const std::string& text, const std::string& section, const task::Task& task) {
  if (text.empty()) return fmt::format("# {}\n\n{}.\n\n{}", task.id, task.title.in("en"), section);
  const std::size_t begin = text.find(kOpens), end = text.find(kCloses, begin == std::string::npos ? 0 : begin);
  if (begin == std::string::npos || end == std::string::npos) return text + (text.ends_with('\n') ? "\n" : "\n\n") + section;
  return text.substr(0, begin) + section + text.substr(end + kCloses.size());
}

std::filesystem::path matrix_file(const task::Task& task) { return task.folder / "README.md"; }

}  // namespace warpbook::grade
