#include <fmt/format.h>

#include <algorithm>

#include "judge/task/manifest_parts.hpp"
#include "judge/task/suggest.hpp"

namespace warpbook::task {
namespace {

/// Area, direction, place, answer.
constexpr int kHintLevels = 4;

std::vector<Text> read_levels(XmlReader& reader, const XmlElement& blank) {
  std::vector<Text> hints;
  for (int level = 1; level <= kHintLevels; ++level) {
    std::vector<const XmlElement*> of_level;
    for (const XmlElement* hint : blank.all("hint"))
      if (reader.integer(*hint, "level", 1, kHintLevels, 0) == level) of_level.push_back(hint);
    if (of_level.empty()) reader.fail(blank, fmt::format("a hint of level {} is missing, expected {} levels", level, kHintLevels));
    hints.push_back(reader.texts(of_level));
  }
  return hints;
}

}  // namespace

void read_hints(XmlReader& reader, const XmlElement& hints, std::vector<Blank>& blanks) {
  if (!reader.shape(hints, {{}, {}, {{"blank", Count::kSome}}})) return;
  std::vector<std::string> names;
  for (const Blank& blank : blanks) names.push_back(blank.name);
  for (const XmlElement* element : hints.all("blank")) {
    if (!reader.shape(*element, {{"name"}, {}, {{"hint", Count::kSome}}})) return;
    for (const XmlElement* hint : element->all("hint")) reader.shape(*hint, {{"level"}, {"xml:lang"}, {}, true});
    const std::string name = reader.name(*element, "name");
    const auto blank = std::find_if(blanks.begin(), blanks.end(), [&](const Blank& candidate) { return candidate.name == name; });
    if (blank == blanks.end())
      return reader.fail(*element, "name", fmt::format("unknown blank '{}', {}", name, expected_one_of(name, names)));
    if (!blank->hints.empty()) return reader.fail(*element, "name", fmt::format("hints for blank '{}' are given twice", name));
    blank->hints = read_levels(reader, *element);
  }
  for (const Blank& blank : blanks)
    if (blank.hints.empty()) reader.fail(hints, fmt::format("blank '{}' has no hints, expected {}", blank.name, kHintLevels));
}

}  // namespace warpbook::task
