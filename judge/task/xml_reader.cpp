#include "judge/task/xml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"
#include "judge/task/number_text.hpp"
#include "judge/task/place.hpp"
#include "judge/task/suggest.hpp"

namespace warpbook::task {
namespace {

const std::vector<std::string> kLanguages{"en", "zh"};

bool is_task_name(std::string_view text) {
  const auto good = [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '-' || c == '_'; };
  return !text.empty() && std::isalnum(static_cast<unsigned char>(text[0])) && std::all_of(text.begin(), text.end(), good);
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool must_be_there(Count count) { return count == Count::kOne || count == Count::kSome; }
bool at_most_once(Count count) { return count == Count::kOne || count == Count::kOptional; }

}  // namespace

void XmlReader::fail_at(int line, int column, std::string what) {
  if (!error_) error_ = error_at_line(text_, line, column, file_, std::move(what));
}

void XmlReader::fail(const XmlElement& element, std::string what) { fail_at(element.line, element.column, std::move(what)); }

void XmlReader::fail(const XmlElement& element, std::string_view attribute, std::string what) {
  const XmlAttribute* found = element.attribute(attribute);
  if (found == nullptr) return fail(element, std::move(what));
  fail_at(found->line, found->column, std::move(what));
}

bool XmlReader::shape(const XmlElement& element, const Shape& shape) {
  std::vector<std::string> known = shape.required;
  known.insert(known.end(), shape.optional.begin(), shape.optional.end());
  for (const XmlAttribute& attribute : element.attributes) {
    if (contains(known, attribute.name)) continue;
    fail_at(attribute.line, attribute.column,
            fmt::format("unknown attribute '{}' of <{}>, {}", attribute.name, element.name, expected_one_of(attribute.name, known)));
  }
  for (const std::string& name : shape.required)
    if (element.attribute(name) == nullptr) fail(element, fmt::format("<{}> lacks its attribute '{}'", element.name, name));
  check_children(element, shape);
  if (!shape.text && !trimmed(element.text).empty()) fail(element, fmt::format("text inside <{}>, expected elements only", element.name));
  return ok();
}

void XmlReader::check_children(const XmlElement& element, const Shape& shape) {
  std::vector<std::string> known;
  for (const ChildRule& rule : shape.children) known.push_back(rule.name);
  for (const XmlElement& child : element.children) {
    if (!contains(known, child.name))
      fail(child, fmt::format("unknown element <{}> in <{}>, {}", child.name, element.name, expected_one_of(child.name, known)));
  }
  for (const ChildRule& rule : shape.children) {
    const auto found = element.all(rule.name);
    if (found.empty() && must_be_there(rule.count)) fail(element, fmt::format("<{}> lacks its element <{}>", element.name, rule.name));
    if (found.size() > 1 && at_most_once(rule.count))
      fail(*found[1], fmt::format("<{}> stands twice in <{}>, expected once", rule.name, element.name));
  }
}

std::string XmlReader::string(const XmlElement& element, std::string_view attribute) {
  const XmlAttribute* found = element.attribute(attribute);
  if (found == nullptr) return "";
  if (trimmed(found->value).empty()) fail(element, attribute, fmt::format("attribute '{}' of <{}> is empty", attribute, element.name));
  return found->value;
}

std::string XmlReader::name(const XmlElement& element, std::string_view attribute) {
  std::string value = string(element, attribute);
  if (!value.empty() && !is_task_name(value))
    fail(element, attribute, fmt::format("'{}' is not a name, expected lower-case letters, digits and '-'", value));
  return value;
}

std::string XmlReader::phrase(const XmlElement& element, std::string_view attribute) {
  const std::string value = string(element, attribute);
  std::string joined;
  for (const std::string& word : words_of(value)) {
    joined += fmt::format("{}{}", joined.empty() ? "" : " ", word);
    if (!is_task_name(word)) break;
  }
  if (joined != value)
    fail(element, attribute, fmt::format("'{}' is not a phrase, expected lower-case letters, digits, '-' and single spaces", value));
  return value;
}

std::int64_t XmlReader::integer(const XmlElement& element, std::string_view attribute, std::int64_t low, std::int64_t high,
                                std::int64_t fallback) {
  const XmlAttribute* found = element.attribute(attribute);
  if (found == nullptr) return fallback;
  const auto value = parse_integer(found->value);
  if (value && *value >= low && *value <= high) return *value;
  fail(element, attribute, fmt::format("{}=\"{}\" is not a whole number from {} to {}", attribute, found->value, low, high));
  return fallback;
}

double XmlReader::number(const XmlElement& element, std::string_view attribute, double fallback) {
  const XmlAttribute* found = element.attribute(attribute);
  if (found == nullptr) return fallback;
  if (const auto value = parse_number(found->value)) return *value;
  fail(element, attribute,
       fmt::format("{}=\"{}\" is not a number, expected e.g. -1.5e3, 0x1.8p1, inf, -inf, nan or -0", attribute, found->value));
  return fallback;
}

double XmlReader::finite(const XmlElement& element, std::string_view attribute, double fallback) {
  const double value = number(element, attribute, fallback);
  if (std::isfinite(value) || element.attribute(attribute) == nullptr) return value;
  fail(element, attribute, fmt::format("{}=\"{}\" is not finite", attribute, element.attribute(attribute)->value));
  return fallback;
}

bool XmlReader::flag(const XmlElement& element, std::string_view attribute, bool fallback) {
  return one_of(element, attribute, {"false", "true"}, fallback ? 1 : 0) == 1;
}

std::size_t XmlReader::one_of(const XmlElement& element, std::string_view attribute, const std::vector<std::string>& names,
                              std::size_t fallback) {
  const XmlAttribute* found = element.attribute(attribute);
  if (found == nullptr) return fallback;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == found->value) return i;
  fail(element, attribute, fmt::format("unknown {} '{}', {}", attribute, found->value, expected_one_of(found->value, names)));
  return fallback;
}

Text XmlReader::texts(const XmlElement& parent, std::string_view name, const Shape& child_shape) {
  const auto elements = parent.all(name);
  for (const XmlElement* element : elements) shape(*element, child_shape);
  return texts(elements);
}

Text XmlReader::texts(const std::vector<const XmlElement*>& elements) {
  Text text;
  for (const XmlElement* element : elements) {
    const std::string language = kLanguages[one_of(*element, "xml:lang", kLanguages, 0)];
    if (!text.by_language.emplace(language, own_text(*element)).second)
      fail(*element, fmt::format("<{}> is given twice in the language '{}'; translations carry xml:lang", element->name, language));
  }
  if (!elements.empty() && text.by_language.count("en") == 0)
    fail(*elements.front(), fmt::format("<{}> lacks its English text", elements.front()->name));
  return text;
}

std::string XmlReader::own_text(const XmlElement& element) {
  std::string text = dedented(element.text);
  if (text.empty()) fail(element, fmt::format("<{}> is empty, expected text", element.name));
  return text;
}

std::string dedented(std::string_view text) {
  std::vector<std::string> lines = split_lines(text);
  const auto is_empty = [](const std::string& line) { return trimmed(line).empty(); };
  // The first line follows the tag directly, so its indentation says nothing unless it is empty.
  if (!lines.empty()) lines.front() = std::string(trimmed(lines.front()));
  std::size_t indentation = std::string::npos;
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (!is_empty(lines[i])) indentation = std::min(indentation, lines[i].find_first_not_of(" \t"));
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string line = is_empty(lines[i]) ? "" : i == 0 ? lines[i] : lines[i].substr(indentation);
    line.erase(line.find_last_not_of(" \t\r") + 1);
    out += line + "\n";
  }
  const std::size_t first = out.find_first_not_of('\n');
  if (first == std::string::npos) return "";
  return out.substr(first, out.find_last_not_of('\n') - first + 1);
}

}  // namespace warpbook::task
