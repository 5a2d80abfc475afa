// tinyxml2 reads the tree, but it knows only lines, not columns, and it is lax: it takes two attributes of one name, text behind
// the root, and entities that nobody defined. So the text is walked once before, tag by tag. That walk keeps the places, which
// tinyxml2's tree then takes over in document order, and says no to everything a manifest does not need. Rejected: searching the
// line for the element's name afterwards, which finds the wrong place as soon as a comment or a value holds the same word.
#include "judge/task/xml_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "judge/task/number_text.hpp"
#include "judge/task/place.hpp"

namespace warpbook::task {
namespace {

constexpr std::size_t kDeepest = 16;
constexpr std::int64_t kLastCodePoint = 0x10FFFF;

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.' || c == ':'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// One walk over the text. Every step returns an error or nothing.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Result<std::vector<ScannedTag>> run() {
    if (auto error = declaration()) return *error;
    while (at_ < text_.size()) {
      if (auto error = text_[at_] == '<' ? markup() : characters()) return *error;
    }
    if (!open_.empty())
      return error_at(text_, text_.size(), file_, fmt::format("the file ends inside <{0}>, expected </{0}>", open_.back()));
    if (tags_.empty()) return error_at(text_, 0, file_, "holds no element, expected <lesson> or <exercise>");
    return std::move(tags_);
  }

 private:
  using Failure = std::optional<Error>;

  Failure fail(std::size_t offset, std::string what) const { return error_at(text_, offset, file_, std::move(what)); }
  bool starts(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  Failure declaration() {
    constexpr std::string_view kOpening = "<?xml";
    if (!starts(kOpening)) return {};
    const std::size_t end = text_.find("?>");
    if (end == std::string_view::npos) return fail(0, "the XML declaration is not closed, expected '?>'");
    std::string declaration(text_.substr(0, end));
    std::transform(declaration.begin(), declaration.end(), declaration.begin(), [](unsigned char c) { return std::tolower(c); });
    const std::size_t encoding = declaration.find("encoding");
    if (encoding != std::string::npos && declaration.find("utf-8", encoding) == std::string::npos)
      return fail(encoding, "a manifest is UTF-8, expected encoding=\"UTF-8\"");
    at_ = end + 2;
    return {};
  }

  Failure markup() {
    if (starts("<!--")) return skip_until("<!--", "-->", "comment");
    if (starts("<![CDATA[")) {
      if (open_.empty()) return fail(at_, "text outside the root element");
      return skip_until("<![CDATA[", "]]>", "CDATA section");
    }
    if (starts("<!")) return fail(at_, "document types and entities are not accepted in a manifest");
    if (starts("<?")) return fail(at_, "processing instructions are not accepted in a manifest");
    return starts("</") ? end_tag() : start_tag();
  }

  Failure skip_until(std::string_view opening, std::string_view closing, std::string_view what) {
    const std::size_t end = text_.find(closing, at_ + opening.size());
    if (end == std::string_view::npos) return fail(at_, fmt::format("this {} is not closed, expected '{}'", what, closing));
    at_ = end + closing.size();
    return {};
  }

  Failure characters() {
    const std::size_t end = std::min(text_.find('<', at_), text_.size());
    if (open_.empty()) {
      skip_space();
      if (at_ < end) return fail(at_, "text outside the root element");
      return {};
    }
    if (auto error = references(at_, end)) return error;
    at_ = end;
    return {};
  }

  /// Entities between two offsets: the five of XML, or a character by number.
  Failure references(std::size_t from, std::size_t to) const {
    static constexpr std::array<std::string_view, 5> kNamed{"amp", "lt", "gt", "quot", "apos"};
    for (std::size_t at = text_.find('&', from); at < to; at = text_.find('&', at + 1)) {
      const std::size_t end = text_.find(';', at);
      constexpr std::size_t kLongest = 12;
      if (end == std::string_view::npos || end >= to || end - at > kLongest) return fail(at, "a bare '&', expected '&amp;'");
      const std::string_view name = text_.substr(at + 1, end - at - 1);
      if (std::find(kNamed.begin(), kNamed.end(), name) != kNamed.end()) continue;
      if (name.substr(0, 1) != "#") return fail(at, fmt::format("unknown entity '&{};', expected amp, lt, gt, quot or apos", name));
      const std::string digits = name.substr(1, 1) == "x" ? fmt::format("0{}", name.substr(1)) : std::string(name.substr(1));
      const auto code = parse_integer(digits);
      const bool is_surrogate = code && *code >= 0xD800 && *code <= 0xDFFF;
      if (!code || *code < ' ' || *code > kLastCodePoint || is_surrogate) return fail(at, fmt::format("'&{};' is not a character", name));
    }
    return {};
  }

  std::string take_name() {
    const std::size_t start = at_;
    if (at_ < text_.size() && is_name_start(text_[at_])) {
      while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    }
    return std::string(text_.substr(start, at_ - start));
  }

  Failure start_tag() {
    const std::size_t opening = at_++;
    ScannedTag tag{take_name(), opening, {}};
    if (tag.name.empty()) return fail(opening, "'<' without a name, expected an element or '&lt;'");
    if (open_.empty() && !tags_.empty())
      return fail(opening, fmt::format("a second root element <{}>, expected the end of the file", tag.name));
    if (open_.size() >= kDeepest) return fail(opening, fmt::format("elements are nested deeper than {}", kDeepest));
    while (true) {
      const std::size_t before = at_;
      skip_space();
      if (at_ >= text_.size()) return fail(opening, fmt::format("the file ends inside the tag <{}, expected '>'", tag.name));
      if (starts("/>")) {
        at_ += 2;
        break;
      }
      if (text_[at_] == '>') {
        ++at_;
        open_.push_back(tag.name);
        break;
      }
      if (before == at_) return fail(at_, fmt::format("unexpected '{}' in <{}>, expected white space, '>' or '/>'", text_[at_], tag.name));
      if (auto error = attribute(tag)) return error;
    }
    tags_.push_back(std::move(tag));
    return {};
  }

  Failure attribute(ScannedTag& tag) {
    const std::size_t start = at_;
    std::string name = take_name();
    if (name.empty()) return fail(at_, fmt::format("unexpected '{}' in <{}>, expected an attribute, '>' or '/>'", text_[at_], tag.name));
    const auto same_name = [&](const ScannedAttribute& other) { return other.name == name; };
    if (std::any_of(tag.attributes.begin(), tag.attributes.end(), same_name))
      return fail(start, fmt::format("attribute '{}' of <{}> is given twice", name, tag.name));
    skip_space();
    if (!starts("=")) return fail(start, fmt::format("attribute '{0}' has no value, expected {0}=\"...\"", name));
    ++at_;
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '"' && quote != '\'') return fail(at_, fmt::format("the value of '{0}' is not quoted, expected {0}=\"...\"", name));
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return fail(at_, fmt::format("the value of '{}' is not closed, expected {}", name, quote));
    if (const std::size_t bracket = text_.find('<', at_); bracket < end)
      return fail(bracket, fmt::format("'<' in the value of '{}', expected '&lt;'", name));
    if (auto error = references(at_, end)) return error;
    at_ = end + 1;
    tag.attributes.push_back({std::move(name), start});
    return {};
  }

  Failure end_tag() {
    const std::size_t opening = at_;
    at_ += 2;
    const std::string name = take_name();
    skip_space();
    if (!starts(">")) return fail(opening, fmt::format("the end tag </{} is not closed, expected '>'", name));
    ++at_;
    if (open_.empty()) return fail(opening, fmt::format("</{}> closes nothing", name));
    if (open_.back() != name) return fail(opening, fmt::format("</{}> stands where </{}> is expected", name, open_.back()));
    open_.pop_back();
    return {};
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::vector<std::string> open_;
  std::vector<ScannedTag> tags_;
};

}  // namespace

Result<std::vector<ScannedTag>> scan_xml(std::string_view text, const std::string& file) { return Scanner(text, file).run(); }

}  // namespace warpbook::task
