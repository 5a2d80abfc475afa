#pragma once
// Strict reading of an XML tree: what an element may hold is said once, and the first thing that differs is the error.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "judge/task/task.hpp"
#include "judge/task/xml_document.hpp"

namespace warpbook::task {

/// How often a child element stands in its parent.
enum class Count { kOne, kOptional, kSome, kAny };

struct ChildRule {
  std::string name;
  Count count = Count::kOne;
};

/// What an element holds: attributes, children, text.
struct Shape {
  std::vector<std::string> required, optional;
  std::vector<ChildRule> children;
  bool text = false;
};

/// Reads values and keeps the first error; after an error every value read is a harmless default, so that callers stay straight.
class XmlReader {
 public:
  XmlReader(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {}

  bool ok() const { return !error_; }
  const Error& error() const { return *error_; }

  /// Keeps an error about an element, or about one of its attributes when it has it.
  void fail(const XmlElement& element, std::string what);
  void fail(const XmlElement& element, std::string_view attribute, std::string what);

  /// Unknown, missing and repeated attributes and children, and text where none belongs, are errors. Returns ok().
  bool shape(const XmlElement& element, const Shape& shape);

  /// The attribute's value; empty when absent.
  std::string string(const XmlElement& element, std::string_view attribute);
  /// A name of lower-case letters, digits, '-', '_' that opens with a letter or digit; empty when absent.
  std::string name(const XmlElement& element, std::string_view attribute);
  /// The same with single spaces between its words.
  std::string phrase(const XmlElement& element, std::string_view attribute);
  std::int64_t integer(const XmlElement& element, std::string_view attribute, std::int64_t low, std::int64_t high, std::int64_t fallback);
  /// Any number, infinite and NaN too.
  double number(const XmlElement& element, std::string_view attribute, double fallback);
  double finite(const XmlElement& element, std::string_view attribute, double fallback);
  bool flag(const XmlElement& element, std::string_view attribute, bool fallback);
  /// The attribute as one of `names`; index into `names`, or `fallback` when absent.
  std::size_t one_of(const XmlElement& element, std::string_view attribute, const std::vector<std::string>& names, std::size_t fallback);

  /// The child elements `name` of `parent`, one per xml:lang; English must be among them unless there are none.
  Text texts(const XmlElement& parent, std::string_view name, const Shape& shape = {{}, {"xml:lang"}, {}, true});
  /// The same for a list of elements that are told apart by xml:lang.
  Text texts(const std::vector<const XmlElement*>& elements);
  /// The element's own text, not empty, its common indentation removed.
  std::string own_text(const XmlElement& element);

 private:
  void fail_at(int line, int column, std::string what);
  void check_children(const XmlElement& element, const Shape& shape);

  std::string file_;
  std::string_view text_;
  std::optional<Error> error_;
};

/// Lines without their common indentation and without empty lines at both ends.
std::string dedented(std::string_view text);

}  // namespace warpbook::task
