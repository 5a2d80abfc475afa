#include "judge/ptx/lexer.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string>

namespace warpbook::ptx {
namespace {

constexpr int kHexDigitsOfFloat = 8;
constexpr int kHexDigitsOfDouble = 16;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
// Bytes above 127 belong to names: nvcc passes UTF-8 identifiers through.
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$' || (c & 0x80) != 0; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

}  // namespace

bool Lexer::skip_blank() {
  while (position_ < text_.size()) {
    char c = text_[position_];
    if (is_blank(c)) {
      line_ += c == '\n';
      ++position_;
    } else if (c == '\0') {
      ++position_;  // fat binaries pad the text with zeros
    } else if (c == '/' && text_.substr(position_, 2) == "//") {
      const std::size_t begin = position_;
      position_ = std::min(text_.find('\n', position_), text_.size());
      const std::string_view comment = text_.substr(begin, position_ - begin);
      if (comment.starts_with(kNoteMark)) notes_.push_back({comment.substr(kNoteMark.size()), begin});
    } else if (c == '/' && text_.substr(position_, 2) == "/*") {
      std::size_t end = text_.find("*/", position_ + 2);
      if (end == std::string_view::npos) return false;
      for (std::size_t i = position_; i < end; ++i) line_ += text_[i] == '\n';
      position_ = end + 2;
    } else {
      return true;
    }
  }
  return true;
}

Token Lexer::take(Token token, TokenKind kind, std::size_t end) {
  token.kind = kind;
  token.text = text_.substr(token.begin, end - token.begin);
  position_ = end;
  return token;
}

Token Lexer::bad(Token token, std::string_view reason, std::size_t end) {
  token.kind = TokenKind::kBad;
  token.text = reason;
  position_ = end;
  return token;
}

Token Lexer::next() {
  bool closed = skip_blank();
  Token token;
  token.begin = position_;
  token.line = line_;
  if (!closed) return bad(token, "a block comment that never ends", text_.size());
  if (position_ >= text_.size()) return token;

  char c = text_[position_];
  char following = position_ + 1 < text_.size() ? text_[position_ + 1] : ' ';
  std::size_t end = position_ + 1;
  if (is_digit(c)) return number(token);
  // `%` starts a name only before a letter: in `5 % 3` it is the remainder.
  if (c == '%' ? (is_word(following) && !is_digit(following)) : is_word(c)) {
    while (end < text_.size() && is_word(text_[end])) ++end;
    return take(token, TokenKind::kName, end);
  }
  if (c == '.' && is_word(following)) {
    while (end < text_.size() && (is_word(text_[end]) || (text_[end] == ':' && text_.substr(end, 2) == "::")))
      end += text_[end] == ':' ? 2 : 1;
    return take(token, TokenKind::kDotted, end);
  }
  if (c == '"') {
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' && end + 1 < text_.size() ? 2 : 1;
    if (end >= text_.size() || text_[end] != '"') return bad(token, "a string that never ends", text_.size());
    token = take(token, TokenKind::kString, end + 1);
    token.text = token.text.substr(1, token.text.size() - 2);
    return token;
  }
  if (std::string_view("{}()[]<>,;:=+-*/%!~&|^?@#.").find(c) == std::string_view::npos)
    return bad(token, "a character that is no part of PTX", end);
  return take(token, TokenKind::kPunct, end);
}

Token Lexer::hex_float(Token token, int digits) {
  std::size_t begin = position_ + 2, end = begin;
  std::uint64_t bits = 0;
  while (end < text_.size() && digit_value(text_[end]) < 16) bits = bits << 4 | static_cast<std::uint64_t>(digit_value(text_[end++]));
  if (end - begin != static_cast<std::size_t>(digits) || (end < text_.size() && is_word(text_[end]))) {
    return bad(token,
               digits == kHexDigitsOfFloat ? "a 0f float without exactly 8 hexadecimal digits"
                                           : "a 0d float without exactly 16 hexadecimal digits",
               end);
  }
  token = take(token, digits == kHexDigitsOfFloat ? TokenKind::kFloat32 : TokenKind::kFloat64, end);
  token.value = bits;
  return token;
}

Token Lexer::number(Token token) {
  std::size_t begin = position_;
  char second = begin + 1 < text_.size() ? text_[begin + 1] : ' ';
  bool prefixed = text_[begin] == '0';
  if (prefixed && (second == 'f' || second == 'F')) return hex_float(token, kHexDigitsOfFloat);
  if (prefixed && (second == 'd' || second == 'D')) return hex_float(token, kHexDigitsOfDouble);

  int base = 10;
  std::size_t end = begin;
  if (prefixed && (second == 'x' || second == 'X')) base = 16, end += 2;
  else if (prefixed && (second == 'b' || second == 'B')) base = 2, end += 2;
  std::size_t first_digit = end;
  while (end < text_.size() && digit_value(text_[end]) < (base == 16 ? 16 : 10)) ++end;

  bool fraction = base == 10 && end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1]);
  bool exponent = base == 10 && end + 1 < text_.size() && (text_[end] == 'e' || text_[end] == 'E');
  if (fraction || exponent) {
    double value = 0;
    auto [rest, problem] = std::from_chars(text_.data() + begin, text_.data() + text_.size(), value);
    end = static_cast<std::size_t>(rest - text_.data());
    if (problem != std::errc{} || (end < text_.size() && is_word(text_[end]))) return bad(token, "a number that cannot be read", end + 1);
    token = take(token, TokenKind::kFloat64, end);
    token.value = std::bit_cast<std::uint64_t>(value);
    return token;
  }

  if (base == 10 && prefixed && end - begin > 1) base = 8;
  std::uint64_t value = 0;
  auto [rest, problem] = std::from_chars(text_.data() + first_digit, text_.data() + end, value, base);
  bool whole = rest == text_.data() + end && end > first_digit;
  if (problem == std::errc::result_out_of_range) return bad(token, "an integer of more than 64 bits", end);
  if (problem != std::errc{} || !whole) return bad(token, "a number that cannot be read", end);
  token.is_unsigned = value >> 63 != 0;
  if (end < text_.size() && text_[end] == 'U') token.is_unsigned = true, ++end;
  if (end < text_.size() && is_word(text_[end])) return bad(token, "a number that runs into a name", end);
  token = take(token, TokenKind::kInteger, end);
  token.value = value;
  return token;
}

bool Lexer::skip_to_closing_brace() {
  while (skip_blank() && position_ < text_.size()) {
    if (text_[position_++] == '}') return true;
  }
  return false;
}

std::string line_of(std::string_view text, std::int32_t line) {
  std::size_t begin = 0;
  for (std::int32_t at = 1; at < line; ++at) {
    begin = text.find('\n', begin);
    if (begin == std::string_view::npos) return {};
    ++begin;
  }
  std::size_t end = text.find('\n', begin);
  std::string out(text.substr(begin, end == std::string_view::npos ? end : end - begin));
  if (!out.empty() && out.back() == '\r') out.pop_back();
  return out;
}

}  // namespace warpbook::ptx
