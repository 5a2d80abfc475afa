#include "judge/task/xml_document.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include "judge/base/files.hpp"
#include "judge/task/place.hpp"
#include "judge/task/xml_scan.hpp"

namespace warpbook::task {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Takes the places over from the scan; both walk the document in the same order, so the next tag is always the right one.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const std::vector<ScannedTag>& tags) : text_(text), tags_(tags) {}

  /// False when tree and scan disagree, which would be an error of ours.
  bool build(const tinyxml2::XMLElement& from, XmlElement& to) {
    if (next_ >= tags_.size() || tags_[next_].name != from.Name()) return false;
    const ScannedTag& tag = tags_[next_++];
    to.name = tag.name;
    place(tag.offset, to.line, to.column);
    std::size_t index = 0;
    for (const auto* attribute = from.FirstAttribute(); attribute != nullptr; attribute = attribute->Next(), ++index) {
      if (index >= tag.attributes.size() || tag.attributes[index].name != attribute->Name()) return false;
      XmlAttribute& copy = to.attributes.emplace_back(XmlAttribute{attribute->Name(), attribute->Value()});
      place(tag.attributes[index].offset, copy.line, copy.column);
    }
    for (const auto* node = from.FirstChild(); node != nullptr; node = node->NextSibling()) {
      if (const auto* text = node->ToText()) to.text += text->Value();
      if (const auto* element = node->ToElement(); element != nullptr && !build(*element, to.children.emplace_back())) return false;
    }
    return true;
  }

 private:
  /// Tags come in order, so counting goes on where the last one stopped.
  void place(std::size_t offset, int& line, int& column) {
    for (; counted_ < offset; ++counted_) {
      if (text_[counted_] != '\n') continue;
      ++line_;
      line_start_ = counted_ + 1;
    }
    line = line_;
    column = static_cast<int>(offset - line_start_) + 1;
  }

  std::string_view text_;
  const std::vector<ScannedTag>& tags_;
  std::size_t next_ = 0, counted_ = 0, line_start_ = 0;
  int line_ = 1;
};

}  // namespace

const XmlAttribute* XmlElement::attribute(std::string_view wanted) const {
  for (const XmlAttribute& candidate : attributes)
    if (candidate.name == wanted) return &candidate;
  return nullptr;
}

std::vector<const XmlElement*> XmlElement::all(std::string_view wanted) const {
  std::vector<const XmlElement*> found;
  for (const XmlElement& child : children)
    if (child.name == wanted) found.push_back(&child);
  return found;
}

const XmlElement* XmlElement::first(std::string_view wanted) const {
  for (const XmlElement& child : children)
    if (child.name == wanted) return &child;
  return nullptr;
}

Result<XmlElement> parse_xml(std::string_view text, const std::string& file) {
  if (text.size() > kLargestText)
    return Error{fmt::format("is {} bytes long, at most {} are read", text.size(), kLargestText), Where{file}};
  if (const std::size_t good = text_length(text); good < text.size()) return not_text(text, good, file, "expected an XML file");
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  auto tags = scan_xml(text, file);
  if (!tags) return std::move(tags).error();
  tinyxml2::XMLDocument document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS)
    return error_at_line(text, document.ErrorLineNum(), 1, file, "is not well-formed XML here");
  XmlElement root;
  if (document.RootElement() == nullptr || !TreeBuilder(text, *tags).build(*document.RootElement(), root))
    return Error{"is read differently by the two XML readers of the judge", Where{file}};
  return root;
}

}  // namespace warpbook::task
