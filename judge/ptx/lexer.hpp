#pragma once
// PTX text to tokens, one at a time and without copying: a token is a view into the text. Debug sections of megabytes are never
// turned into tokens one by one unless the parser asks for them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::ptx {

enum class TokenKind : std::uint8_t {
  kEnd,      ///< end of the text
  kName,     ///< identifier: `foo`, `$L__BB0_1`, `%rd4`, `_`
  kDotted,   ///< directive, type or modifier with its dot: `.global`, `.L1::no_allocate`, `.m16n8k16`
  kInteger,  ///< value holds it
  kFloat32,  ///< `0f3F800000`: value holds the 32 bits
  kFloat64,  ///< `0d...` or a decimal float: value holds the 64 bits
  kString,   ///< text is what stands between the quotes
  kPunct,    ///< one character
  kBad,      ///< text is the reason
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  std::uint64_t value = 0;
  bool is_unsigned = false;  ///< kInteger with U suffix, or too large for a signed 64-bit integer
  std::int32_t line = 1;
  std::size_t begin = 0;  ///< offset of the first character in the text

  bool is(char punct) const { return kind == TokenKind::kPunct && text.front() == punct; }
  bool is(std::string_view word) const { return (kind == TokenKind::kDotted || kind == TokenKind::kName) && text == word; }
};

/// A comment by which source code speaks to a trace (common/kernel/watch.cuh): what stands behind the mark.
struct Note {
  std::string_view text;
  std::size_t begin = 0;  ///< offset of the comment
};
inline constexpr std::string_view kNoteMark = "// warpbook.watch ";

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  /// The next token; kEnd again and again at the end, kBad (once per bad character) for what is no PTX.
  Token next();

  /// Moves just past the next `}` outside comments; false when there is none. Bodies of `.section` are skipped with it.
  bool skip_to_closing_brace();

  std::size_t position() const { return position_; }
  std::int32_t line() const { return line_; }
  /// The notes met so far and not taken yet.
  std::vector<Note>& notes() { return notes_; }

 private:
  bool skip_blank();  // false: a block comment never ends
  Token number(Token token);
  Token hex_float(Token token, int digits);
  Token take(Token token, TokenKind kind, std::size_t end);
  Token bad(Token token, std::string_view reason, std::size_t end);

  std::string_view text_;
  std::size_t position_ = 0;
  std::int32_t line_ = 1;
  std::vector<Note> notes_;
};

/// Line number `line` (from 1) of a text, without its end; for messages.
std::string line_of(std::string_view text, std::int32_t line);

}  // namespace warpbook::ptx
