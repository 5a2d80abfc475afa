// Debugging information: file names, source lines, and the strings that name inlined functions. Everything else in a .section is
// skipped without being read as tokens: DWARF of a large module is megabytes.
#include <fmt/format.h>

#include "judge/ptx/parse_state.hpp"

namespace warpbook::ptx {
namespace {

constexpr std::uint64_t kMostFiles = 1u << 16;

bool is_octal(char c) { return c >= '0' && c <= '7'; }

// A string of PTX with its escapes undone: nvcc writes quotes and backslashes behind a backslash, and bytes beyond ASCII (a path in
// Chinese) as three octal digits.
std::string unescaped(std::string_view text) {
  constexpr std::size_t kOctalDigits = 3;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    ++i;
    if (i + kOctalDigits <= text.size() && is_octal(text[i]) && is_octal(text[i + 1]) && is_octal(text[i + 2])) {
      out += static_cast<char>((text[i] - '0') * 64 + (text[i + 1] - '0') * 8 + (text[i + 2] - '0'));
      i += kOctalDigits - 1;
      continue;
    }
    out += text[i];
  }
  return out;
}

}  // namespace

bool Parser::file() {
  auto index = tokens_.expect_integer("the number of the file");
  if (!index) return false;
  if (*index >= kMostFiles) return tokens_.fail(fmt::format("file number {} is too large", *index));
  if (tokens_.now().kind != TokenKind::kString) return tokens_.fail("the name of the file should stand here, not " + tokens_.found());
  std::string name = unescaped(tokens_.take().text);
  if (module_.files.size() <= *index) module_.files.resize(*index + 1);
  module_.files[*index] = std::move(name);
  while (tokens_.accept(',')) {  // time of change and size
    if (!tokens_.expect_integer("a time or size")) return false;
  }
  return !tokens_.failed();
}

bool Parser::section() {
  if (tokens_.now().kind != TokenKind::kDotted && tokens_.now().kind != TokenKind::kName) {
    return tokens_.fail("the name of the section should stand here, not " + tokens_.found());
  }
  bool strings = tokens_.take().text == ".debug_str";
  return strings ? debug_strings() : tokens_.skip_braces();
}

bool Parser::debug_strings() {
  if (!tokens_.expect('{', "before the strings")) return false;
  while (!tokens_.accept('}')) {
    if (tokens_.now().kind == TokenKind::kName) {
      locations_.add_string_label(tokens_.take().text);
      if (!tokens_.expect(':', "behind the label of a string")) return false;
      continue;
    }
    if (!tokens_.accept(".b8")) return tokens_.fail("`.b8` or a label should stand here, not " + tokens_.found());
    do {
      auto byte = tokens_.expect_integer("a byte");
      if (!byte) return false;
      locations_.add_string_byte(static_cast<std::uint8_t>(*byte));
    } while (tokens_.accept(','));
  }
  return !tokens_.failed();
}

bool Parser::loc() {
  LocDirective directive;
  auto number = [&](std::int32_t& into, std::string_view what) {
    auto value = tokens_.expect_integer(what);
    if (value) into = static_cast<std::int32_t>(*value);
    return value.has_value();
  };
  if (!number(directive.file, "the number of the file") || !number(directive.line, "the line")) return false;
  if (tokens_.now().kind == TokenKind::kInteger && !number(directive.column, "the column")) return false;
  while (tokens_.accept(',')) {
    if (tokens_.accept("function_name")) {
      auto label = tokens_.expect_name("the label of the function's name");
      if (!label) return false;
      directive.function = *label;
      if (tokens_.accept('+')) {
        auto offset = tokens_.expect_integer("an offset");
        if (!offset) return false;
        directive.function += fmt::format("+{}", *offset);
      }
    } else if (tokens_.accept("inlined_at")) {
      directive.inlined = true;
      if (!number(directive.at_file, "the number of the file") || !number(directive.at_line, "the line")) return false;
      if (!number(directive.at_column, "the column")) return false;
    } else {
      return tokens_.fail("`function_name` or `inlined_at` should stand here, not " + tokens_.found());
    }
  }
  if (current_ != nullptr) current_->location = locations_.add(module_, directive, current_->location);
  return !tokens_.failed();
}

}  // namespace warpbook::ptx
