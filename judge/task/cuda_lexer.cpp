// Why a lexer and not a search for text: what stands in a blank decides what may be trusted, and `*/`, `"`, `R"x(`, a backslash at
// the end of a line or `%:` for `#` all change what the text behind them means. The rules are those of C++17, phases 2 and 3
// ([lex.phases], [lex.pptoken]), in gcc's reading, because nvcc lets the host compiler preprocess. Not handled: trigraphs, which
// C++17 no longer has (blank_rules.cpp refuses them all the same), and universal character names outside strings.
#include "judge/task/cuda_lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace warpbook::task {
namespace {

constexpr std::size_t kShortestUnderscores = 6;
constexpr std::size_t kLongestRawDelimiter = 16;

// Longest first. `>>` is missing on purpose: `> >` and `>>` at the end of template arguments are the same.
constexpr std::array<std::string_view, 31> kLongPunctuation{"%:%:", "<<=", "...", "->*", "<=>", "##", "::", ".*", "->", "++", "--",
                                                            "<<",   "<=",  ">=",  "==",  "!=",  "&&", "||", "+=", "-=", "*=", "/=",
                                                            "%=",   "&=",  "|=",  "^=",  "<:",  ":>", "<%", "%>", "%:"};

struct Digraph {
  std::string_view spelled, meant;
};
constexpr std::array<Digraph, 6> kDigraphs{{{"<:", "["}, {":>", "]"}, {"<%", "{"}, {"%>", "}"}, {"%:", "#"}, {"%:%:", "##"}}};

bool is_blank_byte(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }
bool is_word_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (static_cast<unsigned char>(c) & 0x80) != 0;
}
bool is_word_byte(char c) { return is_word_start(c) || std::isdigit(static_cast<unsigned char>(c)); }

/// The text after phase 2: each byte with the place it came from.
struct JoinedText {
  std::string bytes;
  std::vector<std::size_t> from;
};

JoinedText join_lines(std::string_view text) {
  JoinedText joined;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      std::size_t end = at + 1;
      while (end < text.size() && is_blank_byte(text[end])) ++end;
      if (end < text.size() && text[end] == '\n') {
        at = end;
        continue;
      }
    }
    joined.bytes += text[at];
    joined.from.push_back(at);
  }
  joined.from.push_back(text.size());
  return joined;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text), joined_(join_lines(text)), in_(joined_.bytes) {}

  Tokens run() {
    while (at_ < in_.size() && !tokens_.fault) step();
    if (in_directive_) add(TokenKind::kDirectiveEnd, in_.size(), in_.size(), "\n");
    return std::move(tokens_);
  }

 private:
  bool starts(std::string_view what) const { return in_.substr(at_, what.size()) == what; }
  char peek(std::size_t ahead = 1) const { return at_ + ahead < in_.size() ? in_[at_ + ahead] : '\0'; }

  void fail(std::size_t offset, std::string what) { tokens_.fault = LexFault{joined_.from[offset], std::move(what)}; }

  void add(TokenKind kind, std::size_t begin, std::size_t end, std::string text = {}) {
    if (text.empty()) text = std::string(in_.substr(begin, end - begin));
    tokens_.list.push_back({kind, std::move(text), joined_.from[begin], end > begin ? joined_.from[end - 1] + 1 : joined_.from[begin]});
  }

  void step() {
    const char c = in_[at_];
    if (c == '\n') return newline();
    if (is_blank_byte(c)) {
      ++at_;
      return;
    }
    if (starts("//")) return line_comment();
    if (starts("/*")) return block_comment();
    const bool opens_line = at_line_start_;
    at_line_start_ = false;
    if (c == '"') return quoted(at_, TokenKind::kString);
    if (c == '\'') return quoted(at_, TokenKind::kCharacter);
    if (std::isdigit(static_cast<unsigned char>(c)) || (c == '.' && std::isdigit(static_cast<unsigned char>(peek())))) return number();
    if (is_word_start(c)) return word();
    punctuation(opens_line);
  }

  void newline() {
    if (in_directive_) add(TokenKind::kDirectiveEnd, at_, at_ + 1, "\n");
    in_directive_ = false;
    at_line_start_ = true;
    ++at_;
  }

  void comment(std::size_t end) {
    std::string spelled(in_.substr(at_, end - at_));
    spelled.erase(std::remove_if(spelled.begin(), spelled.end(), [](unsigned char c) { return std::isspace(c); }), spelled.end());
    add(TokenKind::kComment, at_, end, std::move(spelled));
    at_ = end;
  }

  void line_comment() { comment(std::min(in_.find('\n', at_), in_.size())); }

  void block_comment() {
    constexpr std::string_view kOpening = "/*", kClosing = "*/";
    const std::size_t end = in_.find(kClosing, at_ + kOpening.size());
    if (end == std::string_view::npos) return fail(at_, "this comment is not closed, expected */");
    comment(end + kClosing.size());
  }

  void quoted(std::size_t begin, TokenKind kind) {
    const char quote = in_[at_];
    std::size_t end = at_ + 1;
    while (end < in_.size() && in_[end] != quote && in_[end] != '\n') end += in_[end] == '\\' ? 2 : 1;
    if (end >= in_.size() || in_[end] != quote)
      return fail(begin,
                  kind == TokenKind::kString ? "this string is not closed, expected \"" : "this character is not closed, expected '");
    add(kind, begin, end + 1);
    at_ = end + 1;
  }

  /// R"delimiter( ... )delimiter": read from the text as it stands, since line joining is undone inside.
  void raw_string(std::size_t begin) {
    const std::size_t quote = joined_.from[at_];
    const std::size_t open = text_.find('(', quote);
    const std::string_view delimiter = open == std::string_view::npos ? std::string_view() : text_.substr(quote + 1, open - quote - 1);
    if (open == std::string_view::npos || delimiter.size() > kLongestRawDelimiter ||
        delimiter.find_first_of(" \t\v\f\r\n\\)\"") != std::string_view::npos)
      return fail(begin, "this raw string has no valid opening, expected R\"delimiter(");
    const std::string closing = fmt::format("){}\"", delimiter);
    const std::size_t end = text_.find(closing, open + 1);
    if (end == std::string_view::npos) return fail(begin, fmt::format("this raw string is not closed, expected {}", closing));
    const std::size_t source_end = end + closing.size();
    const std::size_t source_begin = joined_.from[begin];
    tokens_.list.push_back(
        {TokenKind::kString, std::string(text_.substr(source_begin, source_end - source_begin)), source_begin, source_end});
    at_ = static_cast<std::size_t>(std::lower_bound(joined_.from.begin(), joined_.from.end() - 1, source_end) - joined_.from.begin());
  }

  /// A preprocessing number: also 1e+5, 0x1p-3, 1'000.
  void number() {
    std::size_t end = at_ + 1;
    while (end < in_.size()) {
      const char c = in_[end], before = static_cast<char>(std::tolower(static_cast<unsigned char>(in_[end - 1])));
      const bool exponent_sign = (c == '+' || c == '-') && (before == 'e' || before == 'p');
      const bool separator =
          c == '\'' && end + 1 < in_.size() && (std::isalnum(static_cast<unsigned char>(in_[end + 1])) || in_[end + 1] == '_');
      if (!is_word_byte(c) && c != '.' && !exponent_sign && !separator) break;
      ++end;
    }
    add(TokenKind::kNumber, at_, end);
    at_ = end;
  }

  void word() {
    const std::size_t begin = at_;
    while (at_ < in_.size() && is_word_byte(in_[at_])) ++at_;
    const std::string_view spelled = in_.substr(begin, at_ - begin);
    const char next = at_ < in_.size() ? in_[at_] : '\0';
    const bool is_prefix = spelled == "L" || spelled == "u" || spelled == "U" || spelled == "u8";
    const bool is_raw_prefix = spelled == "R" || spelled == "LR" || spelled == "uR" || spelled == "UR" || spelled == "u8R";
    if (next == '"' && is_raw_prefix) return raw_string(begin);
    if (next == '"' && is_prefix) return quoted(begin, TokenKind::kString);
    if (next == '\'' && is_prefix) return quoted(begin, TokenKind::kCharacter);
    // `#define F(x)` and `#define F (x)` differ by white space alone: keep the parenthesis with the name.
    const auto& list = tokens_.list;
    const bool is_macro_name = list.size() > 1 && list.back().text == "define" && list[list.size() - 2].kind == TokenKind::kDirective;
    if (is_macro_name && next == '(') ++at_;
    add(TokenKind::kWord, begin, at_);
  }

  void punctuation(bool opens_line) {
    std::size_t length = 1;
    for (const std::string_view candidate : kLongPunctuation) {
      if (!starts(candidate)) continue;
      length = candidate.size();
      break;
    }
    // [lex.pptoken]: `<::` is `<` and `::` unless a third `:` or a `>` follows.
    if (starts("<::") && peek(3) != ':' && peek(3) != '>') length = 1;
    std::string meant(in_.substr(at_, length));
    for (const Digraph& digraph : kDigraphs)
      if (digraph.spelled == meant) meant = std::string(digraph.meant);
    const bool directive = meant == "#" && opens_line;
    in_directive_ = in_directive_ || directive;
    const std::size_t begin = at_;
    at_ += length;
    add(directive ? TokenKind::kDirective : TokenKind::kPunctuation, begin, at_, std::move(meant));
  }

  std::string_view text_;
  JoinedText joined_;
  std::string_view in_;
  std::size_t at_ = 0;
  bool at_line_start_ = true, in_directive_ = false;
  Tokens tokens_;
};

}  // namespace

Tokens lex(std::string_view text) { return Lexer(text).run(); }

bool is_underscore_blank(const Token& token) {
  return token.kind == TokenKind::kWord && token.text.size() >= kShortestUnderscores &&
         token.text.find_first_not_of('_') == std::string::npos;
}

}  // namespace warpbook::task
