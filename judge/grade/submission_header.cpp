#include "judge/grade/submission_header.hpp"

#include <fmt/format.h>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"

namespace warpbook::grade {
namespace {

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (std::string item(trimmed(text.substr(0, comma))); !item.empty()) out.push_back(std::move(item));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

/// What is wrong with `value`, or empty.
std::string take(SubmissionHeader& header, const std::string& key, const std::string& value) {
  if (key == "verdict") {
    for (const std::string& name : split_list(value)) {
      const auto verdict = find_verdict(name);
      if (!verdict) return fmt::format("verdict is '{}', expected AC, WA, RTE, TLE, CE or VETO", name);
      header.verdicts.push_back(*verdict);
    }
    return {};
  }
  if (key == "reason") {
    for (const std::string& name : split_list(value)) {
      const auto reason = find_reason(name);
      if (!reason) return fmt::format("reason '{}' is not one of the judge's (judge/grade/verdict.cpp lists them)", name);
      header.reasons.push_back(*reason);
    }
    return {};
  }
  if (key == "cases") header.cases = split_list(value);
  else if (key == "mistake") header.mistake = value;
  else if (key == "question") header.question = value;
  else if (key == "mistake-of") header.mistake_of = value;
  else if (key == "medal" && value == "lost") header.medal_lost = true;
  else if (key == "medal") return fmt::format("medal is '{}', expected lost", value);
  return {};
}

/// The key of a header line, or empty.
std::string key_of(const std::string& line) {
  if (!line.starts_with("//")) return {};
  const std::string body(trimmed(std::string_view(line).substr(2)));
  if (body == "vgpu-only") return body;
  const std::size_t colon = body.find(':');
  const std::string key = body.substr(0, colon);
  const bool known = key == "verdict" || key == "reason" || key == "cases" || key == "mistake" || key == "question" ||
                     key == "mistake-of" || key == "medal";
  return colon != std::string::npos && known ? key : std::string();
}

Error refuse(const std::string& file, int line, std::string what, std::string source_line) {
  Error error;
  error.what = std::move(what);
  error.where = {file, line, 1};
  error.source_line = std::move(source_line);
  return error;
}

}  // namespace

Result<SubmissionHeader> read_submission_header(const std::string& shown_name, const std::string& text) {
  SubmissionHeader header;
  int number = 0;
  for (const std::string& line : split_lines(text)) {
    ++number;
    // Prose follows the header; it starts at the first line that is not `key: value` with a known key.
    const std::string key = key_of(line);
    if (key.empty()) break;
    header.vgpu_only |= key == "vgpu-only";
    if (key == "vgpu-only") continue;
    const std::string problem = take(header, key, std::string(trimmed(std::string_view(line).substr(line.find(':') + 1))));
    if (!problem.empty()) return refuse(shown_name, number, problem, line);
  }
  if (number <= 1) return refuse(shown_name, 1, "a wrong or correct submission opens with `// verdict: ...`", {});
  return header;
}

std::string without_header(const std::string& text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
    if (key_of(std::string(rest.substr(0, end))).empty()) break;
    rest.remove_prefix(end + 1);
  }
  return std::string(rest);
}

}  // namespace warpbook::grade
