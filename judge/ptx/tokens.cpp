#include "judge/ptx/tokens.hpp"

#include <fmt/format.h>

namespace warpbook::ptx {

void Tokens::advance() {
  if (failed()) return;
  end_of_last_ = lexer_.position();
  token_ = lexer_.next();
  if (token_.kind == TokenKind::kBad) fail(fmt::format("{} was found", token_.text));
}

Token Tokens::take() {
  Token token = token_;
  advance();
  return token;
}

std::optional<Note> Tokens::take_note() {
  std::vector<Note>& notes = lexer_.notes();
  if (notes.empty() || notes.front().begin > token_.begin) return std::nullopt;
  const Note note = notes.front();
  notes.erase(notes.begin());
  return note;
}

bool Tokens::accept(char punct) {
  if (!token_.is(punct)) return false;
  advance();
  return !failed();
}

bool Tokens::accept(std::string_view word) {
  if (!token_.is(word)) return false;
  advance();
  return !failed();
}

bool Tokens::expect(char punct, std::string_view where) {
  if (accept(punct)) return true;
  return fail(fmt::format("`{}` should stand {}, not {}", punct, where, found()));
}

std::optional<std::string_view> Tokens::expect_name(std::string_view what) {
  if (token_.kind == TokenKind::kName) return take().text;
  fail(fmt::format("{} should stand here, not {}", what, found()));
  return std::nullopt;
}

std::optional<std::uint64_t> Tokens::expect_integer(std::string_view what) {
  if (token_.kind == TokenKind::kInteger) return take().value;
  fail(fmt::format("{} should stand here, not {}", what, found()));
  return std::nullopt;
}

bool Tokens::skip_braces() {
  if (!token_.is('{')) return fail(fmt::format("`{{` should open the section, not {}", found()));
  if (!lexer_.skip_to_closing_brace()) return fail("the section never ends: `}` is missing");
  advance();
  return !failed();
}

bool Tokens::fail(std::string what) { return fail(token_.line, std::move(what)); }

bool Tokens::fail(std::int32_t line, std::string what) {
  if (failed()) return false;
  error_ = Error{std::move(what), Where{"PTX", line, 0}, line_of(text_, line)};
  token_.kind = TokenKind::kEnd;
  token_.text = {};
  return false;
}

Error Tokens::error() const { return *error_; }

std::string Tokens::found() const {
  constexpr std::size_t kLongestShown = 40;
  switch (token_.kind) {
    case TokenKind::kEnd: return "the end of the text";
    case TokenKind::kString: return fmt::format("the string \"{}\"", token_.text.substr(0, kLongestShown));
    default: return fmt::format("`{}`", token_.text.substr(0, kLongestShown));
  }
}

}  // namespace warpbook::ptx
