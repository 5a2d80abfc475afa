#include "judge/lint/markdown_parts.hpp"

#include <algorithm>
#include <cctype>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"
#include "judge/task/number_text.hpp"

namespace warpbook::lint {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Numbers as they are read aloud: 33,558,849 and 33{,}558{,}849 are 33558849; "05" of a lesson's name keeps its zero.
void add_numbers(std::string line, std::vector<std::string>& numbers) {
  for (std::size_t at = line.find("{,}"); at != std::string::npos; at = line.find("{,}", at)) line.replace(at, 3, ",");
  for (std::size_t at = 0; at < line.size();) {
    if (!is_digit(line[at])) {
      ++at;
      continue;
    }
    std::string number;
    while (at < line.size()) {
      const bool groups =
          line[at] == ',' && at + 3 < line.size() && is_digit(line[at + 1]) && is_digit(line[at + 2]) && is_digit(line[at + 3]);
      const bool point = line[at] == '.' && at + 1 < line.size() && is_digit(line[at + 1]);
      if (!is_digit(line[at]) && !groups && !point) break;
      if (!groups) number += line[at];
      ++at;
    }
    numbers.push_back(number);
  }
}

void add_links(const std::string& line, int number, std::vector<Link>& links) {
  for (std::size_t at = line.find("]("); at != std::string::npos; at = line.find("](", at + 2)) {
    const std::size_t end = line.find(')', at);
    const std::size_t open = line.rfind('[', at);
    if (end == std::string::npos || open == std::string::npos) continue;
    links.push_back({number, open > 0 && line[open - 1] == '!', line.substr(at + 2, end - at - 2)});
  }
}

/// The line without the targets of its links, whose digits are no numbers of the text.
std::string without_targets(std::string line) {
  for (std::size_t at = line.find("]("); at != std::string::npos; at = line.find("](", at + 1)) {
    const std::size_t end = line.find(')', at);
    if (end != std::string::npos) line.erase(at + 1, end - at);
  }
  return line;
}

}  // namespace

MarkdownParts markdown_parts(std::string_view text) {
  MarkdownParts parts;
  bool in_fence = false, in_table = false;
  int number = 0;
  for (const std::string& line : split_lines(text)) {
    ++number;
    const std::string_view plain = trimmed(line);
    if (plain.starts_with("```")) in_fence = !in_fence;
    if (in_fence) continue;
    if (plain.starts_with("{{code ")) {
      parts.regions.emplace_back(trimmed(plain.substr(7, plain.size() - std::min<std::size_t>(plain.size(), 9))));
      continue;
    }
    if (plain.starts_with("<!--")) continue;
    if (line.starts_with("#")) {
      const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
      parts.headings.push_back({number, static_cast<int>(level), std::string(trimmed(std::string_view(line).substr(level)))});
    }
    if (plain.find("<details") != std::string_view::npos) ++parts.folded;
    const bool is_row = plain.starts_with("|");
    if (is_row && !in_table) parts.tables.push_back({number, parts.headings.empty() ? "" : parts.headings.back().text, 0});
    if (is_row && std::any_of(plain.begin(), plain.end(), is_digit)) ++parts.tables.back().rows_with_numbers;
    in_table = is_row;
    add_links(line, number, parts.links);
    add_numbers(without_targets(line), parts.numbers);
    parts.words += task::words_of(line).size();
  }
  std::sort(parts.numbers.begin(), parts.numbers.end());
  return parts;
}

}  // namespace warpbook::lint
