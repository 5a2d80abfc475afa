#include "judge/task/blanks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "judge/base/text.hpp"
#include "judge/task/place.hpp"

namespace warpbook::task {
namespace {

/// A marker line.
struct Marker {
  bool opens = false;
  std::string name;
  std::size_t begin = 0, end = 0;  ///< of the whole line, its end included
};

std::string_view after_space(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

bool take(std::string_view& text, std::string_view word) {
  text = after_space(text);
  if (text.substr(0, word.size()) != word) return false;
  text.remove_prefix(word.size());
  return true;
}

/// `// >>> blank NAME: ...` or `// <<< blank NAME`, with white space anywhere between its parts.
std::optional<Marker> marker_in(std::string_view line) {
  if (!take(line, "//")) return std::nullopt;
  Marker marker;
  marker.opens = take(line, ">>>");
  if (!marker.opens && !take(line, "<<<")) return std::nullopt;
  if (!take(line, "blank")) return std::nullopt;
  line = after_space(line);
  marker.name = std::string(line.substr(0, line.find_first_of(" \t\r\n:,")));
  if (marker.name.empty()) return std::nullopt;
  return marker;
}

std::vector<Marker> find_markers(std::string_view text) {
  std::vector<Marker> markers;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t newline = text.find('\n', begin);
    const std::size_t end = newline == std::string_view::npos ? text.size() : newline + 1;
    if (auto marker = marker_in(text.substr(begin, end - begin))) {
      marker->begin = begin;
      marker->end = end;
      markers.push_back(std::move(*marker));
    }
    begin = end;
  }
  return markers;
}

/// Follows braces and declarations from the top of the file, to know which blanks stand in device functions.
class BraceWalk {
 public:
  void feed(const Token& token) {
    if (token.kind == TokenKind::kComment) return;
    device_ = device_ || token.text == "__global__" || token.text == "__device__";
    host_ = host_ || token.text == "__host__";
    if (token.is("{")) {
      const bool opens_body = before_ == ")" || before_ == "const" || before_ == "noexcept";
      open_.push_back(opens_body && device_ && !host_);
    }
    if (token.is("}") && !open_.empty()) open_.pop_back();
    // Outside bodies these end a declaration; inside, the qualifiers do not matter any more.
    if (token.is(";") || token.is("{") || token.is("}")) device_ = host_ = false;
    before_ = token.text;
  }
  bool in_device_function() const { return std::find(open_.begin(), open_.end(), true) != open_.end(); }

 private:
  std::vector<bool> open_;  ///< for each open brace: is it the body of a device function
  bool device_ = false, host_ = false;
  std::string before_;
};

/// The blanks in file order, still without what the manifest says of them.
Status find_places(Exercise& exercise) {
  BraceWalk walk;
  for (std::size_t part = 0; part < exercise.cut.outside.size(); ++part) {
    const std::string_view outside = exercise.cut.outside[part];
    const std::size_t base = static_cast<std::size_t>(outside.data() - exercise.text.data());
    Tokens tokens = lex(outside);
    if (tokens.fault) return error_at(exercise.text, base + tokens.fault->offset, exercise.file, tokens.fault->what);
    for (const Token& token : tokens.list) {
      if (is_underscore_blank(token)) exercise.blanks.push_back({{}, false, base + token.begin, walk.in_device_function()});
      walk.feed(token);
    }
    exercise.outside.push_back(std::move(tokens.list));
    if (part >= exercise.cut.regions.size()) continue;
    const BlankRegion& region = exercise.cut.regions[part];
    exercise.blanks.push_back({{}, true, region.begin, walk.in_device_function()});
    exercise.blanks.back().blank.name = region.name;
  }
  return Done{};
}

}  // namespace

Result<CutFile> cut_at_markers(std::string_view text, const std::string& file) {
  CutFile cut;
  std::set<std::string> seen;
  std::size_t outside_begin = 0;
  const Marker* open = nullptr;
  const std::vector<Marker> markers = find_markers(text);
  for (const Marker& marker : markers) {
    const auto refuse = [&](std::string what) { return error_at(text, marker.begin, file, std::move(what)); };
    // It would make the first line of the blank, which is checked as code, part of the marker's comment.
    if (trimmed(text.substr(marker.begin, marker.end - marker.begin)).ends_with('\\'))
      return refuse("a marker line ends in a backslash, expected none");
    if (marker.opens) {
      if (open != nullptr)
        return refuse(fmt::format("blank '{0}' opens inside blank '{1}', expected '// <<< blank {1}'", marker.name, open->name));
      if (!seen.insert(marker.name).second) return refuse(fmt::format("blank '{}' stands twice in the file", marker.name));
      cut.outside.push_back(text.substr(outside_begin, marker.end - outside_begin));
      open = &marker;
      continue;
    }
    if (open == nullptr) return refuse(fmt::format("blank '{}' is closed but not open", marker.name));
    if (open->name != marker.name) return refuse(fmt::format("blank '{}' is closed where '{}' is open", marker.name, open->name));
    cut.regions.push_back({marker.name, open->end, marker.begin});
    outside_begin = marker.begin;
    open = nullptr;
  }
  if (open != nullptr)
    return error_at(text, open->begin, file, fmt::format("blank '{0}' is not closed, expected '// <<< blank {0}'", open->name));
  cut.outside.push_back(text.substr(outside_begin));
  return cut;
}

Status read_exercise(std::string_view text, const std::string& file, const std::vector<Blank>& blanks, Exercise& into) {
  into.file = file;
  into.text = normalised(text);
  auto cut = cut_at_markers(into.text, file);
  if (!cut) return std::move(cut).error();
  into.cut = std::move(*cut);
  if (auto found = find_places(into); !found) return found;
  if (into.blanks.size() != blanks.size())
    return Error{fmt::format("holds {} blanks, the manifest declares {}", into.blanks.size(), blanks.size()), Where{file}};
  for (std::size_t i = 0; i < blanks.size(); ++i) {
    BlankPlace& place = into.blanks[i];
    if (place.is_region && place.blank.name != blanks[i].name)
      return error_at(into.text, place.offset, file,
                      fmt::format("this blank is '{}', the manifest's blank {} is '{}'", place.blank.name, i + 1, blanks[i].name));
    place.blank = blanks[i];
  }
  return Done{};
}

std::string normalised(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  std::string out;
  out.reserve(text.size() + 1);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool pair = text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
    // A lone CR ends a line to some compilers and not to others; as a line end it means the same to all.
    if (!pair) out += text[at] == '\r' ? '\n' : text[at];
  }
  if (!out.empty() && out.back() != '\n') out += '\n';
  return out;
}

}  // namespace warpbook::task
