#pragma once
// The parts of a lesson's Markdown that lint looks at. Not a parser of Markdown: lessons are written in a small part of it.
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::lint {

struct Heading {
  int line = 0, level = 1;
  std::string text;
};

struct Link {
  int line = 0;
  bool image = false;
  std::string target;
};

struct Table {
  int line = 0;
  std::string section;  ///< text of the heading above it
  int rows_with_numbers = 0;
};

struct MarkdownParts {
  std::vector<Heading> headings;
  std::vector<Link> links;
  std::vector<Table> tables;
  std::vector<std::string> regions;  ///< "solution.cu#sums", in order
  std::vector<std::string> numbers;  ///< outside code and links, without grouping: "33558849", "-2.25", "0x1f"; sorted
  std::size_t folded = 0;            ///< <details>
  std::size_t words = 0;
};

MarkdownParts markdown_parts(std::string_view text);

}  // namespace warpbook::lint
