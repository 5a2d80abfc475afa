#pragma once
// An XML file as a tree of plain values, each with its place.
#include <string>
#include <string_view>
#include <vector>

#include "judge/base/error.hpp"

namespace warpbook::task {

struct XmlAttribute {
  std::string name, value;
  int line = 0, column = 0;
};

/// An element; `text` is all character data directly inside it, in order, comments left out.
struct XmlElement {
  std::string name;
  int line = 0, column = 0;
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;
  std::string text;

  const XmlAttribute* attribute(std::string_view wanted) const;
  std::vector<const XmlElement*> all(std::string_view wanted) const;
  const XmlElement* first(std::string_view wanted) const;
};

/// The root element of UTF-8 XML text (a BOM is skipped). Errors carry line, column and source line.
Result<XmlElement> parse_xml(std::string_view text, const std::string& file);

}  // namespace warpbook::task
