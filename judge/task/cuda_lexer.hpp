#pragma once
// CUDA C++ text as preprocessing tokens: enough to see what is code, what is comment or string, and where directives stand.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::task {

enum class TokenKind {
  kWord,  ///< identifier or keyword
  kNumber,
  kString,  ///< with its prefix; raw strings too
  kCharacter,
  kPunctuation,  ///< digraphs as what they stand for; `>>` as two
  kComment,
  kDirective,     ///< the `#` that opens a directive
  kDirectiveEnd,  ///< the end of its line
};

/// A token; two tokens of equal kind and text mean the same to the compiler. Comments are spelled without white space.
struct Token {
  TokenKind kind = TokenKind::kWord;
  std::string text;
  std::size_t begin = 0, end = 0;  ///< byte range in the source, lines joined by a backslash included

  bool operator==(const Token& other) const { return kind == other.kind && text == other.text; }
  bool is(std::string_view punctuation) const { return kind == TokenKind::kPunctuation && text == punctuation; }
};

/// Why the text ends in the middle of something.
struct LexFault {
  std::size_t offset = 0;
  std::string what;  ///< "this comment is not closed, expected */"
};

struct Tokens {
  std::vector<Token> list;
  std::optional<LexFault> fault;  ///< the list holds what came before it
};

/// Tokens of a text that starts at the beginning of a line. Lines are joined at a backslash as the compiler joins them: also inside
/// words and line comments, also when white space follows the backslash, but not inside raw strings.
Tokens lex(std::string_view text);

/// A word of six or more underscores and nothing else: an expression blank.
bool is_underscore_blank(const Token& token);

}  // namespace warpbook::task
