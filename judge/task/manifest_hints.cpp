#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "judge/base/text.hpp"
#include "judge/task/failure_codes.hpp"
#include "judge/task/manifest_parts.hpp"
#include "judge/task/suggest.hpp"

namespace warpbook::task {
namespace {

/// Area, direction, place, answer.
constexpr int kHintLevels = 4;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "clamp, zero row" as {"clamp", "zero row"}: tags may hold spaces, so only commas part them. Each must be able to fit a failure.
std::vector<std::string> read_tags(XmlReader& reader, const XmlElement& hint, const std::vector<std::string>& of_cases) {
  std::vector<std::string> tags;
  const std::string list = reader.string(hint, "tags");
  for (std::size_t at = 0; at <= list.size() && !list.empty();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    tags.emplace_back(trimmed(std::string_view(list).substr(at, comma - at)));
    at = comma + 1;
    const std::string& tag = tags.back();
    if (!contains(of_cases, tag) && !contains(failure_codes(), tag))
      reader.fail(hint, "tags",
                  fmt::format("'{}' is neither a tag of a case nor a reason or verdict, {}", tag, expected_one_of(tag, of_cases)));
    if (std::count(tags.begin(), tags.end(), tag) > 1) reader.fail(hint, "tags", fmt::format("tag '{}' stands twice", tag));
  }
  return tags;
}

/// The hints of one level: one for everybody, then those that a list of tags tells apart. Translations carry the same tags.
void read_level(XmlReader& reader, const XmlElement& element, int level, const std::vector<std::string>& of_cases, Blank& blank) {
  std::vector<const XmlElement*> general;
  std::vector<std::pair<std::vector<std::string>, std::vector<const XmlElement*>>> tagged;
  for (const XmlElement* hint : element.all("hint")) {
    if (reader.integer(*hint, "level", 1, kHintLevels, 0) != level) continue;
    if (hint->attribute("tags") == nullptr) {
      general.push_back(hint);
      continue;
    }
    const auto tags = read_tags(reader, *hint, of_cases);
    const auto same = std::find_if(tagged.begin(), tagged.end(), [&](const auto& group) { return group.first == tags; });
    if (same != tagged.end()) {
      same->second.push_back(hint);
      continue;
    }
    tagged.push_back({tags, {hint}});
  }
  if (general.empty())
    reader.fail(element, fmt::format("a hint of level {} is missing, expected {} levels without tags", level, kHintLevels));
  blank.hints.push_back(reader.texts(general));
  std::set<std::string> taken;
  for (const auto& [tags, hints] : tagged) {
    for (const std::string& tag : tags)
      if (!taken.insert(tag).second)
        reader.fail(*hints.front(), "tags", fmt::format("two hints of level {} name the tag '{}', expected one", level, tag));
    blank.tagged.push_back({level, tags, reader.texts(hints)});
  }
}

std::vector<std::string> tags_of_cases(const Task& task) {
  std::vector<std::string> tags;
  for (const Case& c : task.cases)
    if (!c.tag.empty() && !contains(tags, c.tag)) tags.push_back(c.tag);
  return tags;
}

}  // namespace

void read_hints(XmlReader& reader, const XmlElement& hints, Task& task) {
  if (!reader.shape(hints, {{}, {}, {{"blank", Count::kSome}}})) return;
  std::vector<std::string> names;
  for (const Blank& blank : task.blanks) names.push_back(blank.name);
  const auto of_cases = tags_of_cases(task);
  for (const XmlElement* element : hints.all("blank")) {
    if (!reader.shape(*element, {{"name"}, {}, {{"hint", Count::kSome}}})) return;
    for (const XmlElement* hint : element->all("hint")) reader.shape(*hint, {{"level"}, {"xml:lang", "tags"}, {}, true});
    const std::string name = reader.name(*element, "name");
    const auto blank = std::find_if(task.blanks.begin(), task.blanks.end(), [&](const Blank& one) { return one.name == name; });
    if (blank == task.blanks.end())
      return reader.fail(*element, "name", fmt::format("unknown blank '{}', {}", name, expected_one_of(name, names)));
    if (!blank->hints.empty()) return reader.fail(*element, "name", fmt::format("hints for blank '{}' are given twice", name));
    for (int level = 1; level <= kHintLevels; ++level) read_level(reader, *element, level, of_cases, *blank);
  }
  for (const Blank& blank : task.blanks)
    if (blank.hints.empty()) reader.fail(hints, fmt::format("blank '{}' has no hints, expected {}", blank.name, kHintLevels));
}

}  // namespace warpbook::task
