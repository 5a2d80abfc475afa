#pragma once
// A stream of tokens with one token of lookahead and one sticky error: after the first problem every question is answered with
// "no", so that the parser can unwind with plain returns.
#include <optional>
#include <string>
#include <string_view>

#include "judge/base/error.hpp"
#include "judge/ptx/lexer.hpp"

namespace warpbook::ptx {

class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text), lexer_(text) { advance(); }

  const Token& now() const { return token_; }
  bool at_end() const { return token_.kind == TokenKind::kEnd; }
  bool failed() const { return error_.has_value(); }

  Token take();  ///< the current token; moves on
  bool accept(char punct);
  bool accept(std::string_view word);  ///< a dotted word or a name
  bool expect(char punct, std::string_view where);
  std::optional<std::string_view> expect_name(std::string_view what);
  std::optional<std::uint64_t> expect_integer(std::string_view what);

  /// Skips the body of a section; the current token is its `{`.
  bool skip_braces();

  /// The next note that stands before the current token, once.
  std::optional<Note> take_note();

  /// Records the first problem, at the current token or at `line`; always false.
  bool fail(std::string what);
  bool fail(std::int32_t line, std::string what);
  Error error() const;

  /// "`.foo`", "the end of the text": the current token, for messages.
  std::string found() const;
  std::string_view text() const { return text_; }
  std::size_t end_of_last() const { return end_of_last_; }  ///< offset just behind the token taken last

 private:
  void advance();

  std::string_view text_;
  Lexer lexer_;
  Token token_;
  std::size_t end_of_last_ = 0;
  std::optional<Error> error_;
};

}  // namespace warpbook::ptx
