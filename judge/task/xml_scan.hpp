#pragma once
// Finds the place of every element and attribute in an XML text, and refuses what a manifest has no use for.
#include <string>
#include <string_view>
#include <vector>

#include "judge/base/error.hpp"

namespace warpbook::task {

/// An attribute and where its name stands.
struct ScannedAttribute {
  std::string name;
  std::size_t offset = 0;
};

/// A start tag: where its `<` stands, and its attributes in order.
struct ScannedTag {
  std::string name;
  std::size_t offset = 0;
  std::vector<ScannedAttribute> attributes;
};

/// All start tags in document order; an error names the first thing that is not well formed, or that is refused (document types,
/// processing instructions, entities other than the five of XML and characters by number, nesting deeper than 16).
Result<std::vector<ScannedTag>> scan_xml(std::string_view text, const std::string& file);

}  // namespace warpbook::task
