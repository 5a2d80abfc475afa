// The learner's file is never trusted, and yet it is what nvcc gets to read: it is compiled as it stands (but for BOM and CR) once it
// is proved to be the exercise with other blanks. The proof compares preprocessing tokens, comments among them, part by part between
// the markers; two texts with the same tokens are the same program, so white space may differ freely and every line number in a
// message is the learner's without any #line. Rejected: copying the blanks into our text, which shifts lines as soon as a learner
// adds an empty one; and comparing characters without white space, to which `int x` and `intx`, or code moved up behind a `//`, are
// equal. A part that does not match is shown as a diff against the exercise with the learner's blanks filled in.
#include "judge/task/splice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "judge/base/files.hpp"
#include "judge/task/blank_rules.hpp"
#include "judge/task/blanks.hpp"
#include "judge/task/line_diff.hpp"
#include "judge/task/outside_match.hpp"
#include "judge/task/place.hpp"

namespace warpbook::task {
namespace {

/// A learner's file on its way through the comparison.
struct Submission {
  const std::string& file;
  std::string text;  ///< normalised
  std::vector<BlankFill> fills;
  std::optional<Error> change;    ///< where the first difference outside the blanks is, if there is one
  std::optional<Error> open_end;  ///< a comment or string that an underscore blank leaves open, so that nothing behind can be compared
};

void note_change(Submission& learner, std::size_t offset, std::string what) {
  if (!learner.change) learner.change = error_at(learner.text, offset, learner.file, std::move(what));
}

BlankFill fill_of(const BlankPlace& place, std::size_t begin, std::size_t end) {
  return {place.blank.name, place.blank.scope, place.is_region, place.in_device_function, place.blank.lines, begin, end};
}

std::string_view line_start(std::string_view text, std::size_t offset) {
  const std::size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  return text.substr(begin, offset - begin);
}

/// Whether what is left open at `offset` of the learner's text begins in an underscore blank: the same words stand before both.
bool opens_in_blank(const Exercise& exercise, const Submission& learner, std::size_t offset) {
  const auto before = lex(line_start(learner.text, offset)).list;
  const auto is_it = [&](const BlankPlace& place) {
    const auto head = lex(line_start(exercise.text, place.offset)).list;
    return !place.is_region && head.size() <= before.size() && std::equal(head.begin(), head.end(), before.begin());
  };
  return std::any_of(exercise.blanks.begin(), exercise.blanks.end(), is_it);
}

/// Compares outside part by outside part and collects the fills in file order.
void compare(const Exercise& exercise, const CutFile& cut, Submission& learner) {
  auto place = exercise.blanks.begin();
  for (std::size_t part = 0; part < exercise.outside.size(); ++part) {
    const std::size_t base = static_cast<std::size_t>(cut.outside[part].data() - learner.text.data());
    const Tokens tokens = lex(cut.outside[part]);
    if (tokens.fault) {
      const std::size_t offset = base + tokens.fault->offset;
      if (!opens_in_blank(exercise, learner, offset))
        return note_change(learner, offset, fmt::format("text outside the blanks was changed: {}", tokens.fault->what));
      learner.open_end = error_at(learner.text, offset, learner.file, tokens.fault->what);
      return;
    }
    const OutsideMatch match = match_outside(exercise.outside[part], tokens.list);
    if (!match.same) return note_change(learner, base + match.first_difference, "text outside the blanks was changed here");
    for (const auto& [begin, end] : match.fills) learner.fills.push_back(fill_of(*place++, base + begin, base + end));
    if (part < cut.regions.size()) learner.fills.push_back(fill_of(*place++, cut.regions[part].begin, cut.regions[part].end));
  }
}

bool same_regions(const CutFile& a, const CutFile& b) {
  const auto same_name = [](const BlankRegion& one, const BlankRegion& other) { return one.name == other.name; };
  return std::equal(a.regions.begin(), a.regions.end(), b.regions.begin(), b.regions.end(), same_name);
}

/// The learner's line that stands for an exercise line with underscores: it begins and ends as that line does.
const std::string* filled_line(const std::string& line, const std::vector<std::string>& candidates) {
  constexpr std::string_view kUnderscores = "______";
  const std::size_t first = line.find(kUnderscores), last = line.rfind(kUnderscores);
  if (first == std::string::npos) return nullptr;
  const std::string_view head = std::string_view(line).substr(0, first), tail = std::string_view(line).substr(last + kUnderscores.size());
  for (const std::string& candidate : candidates)
    if (candidate.size() >= head.size() + tail.size() && candidate.starts_with(head) && candidate.ends_with(tail)) return &candidate;
  return nullptr;
}

/// The exercise as it would look with the learner's blanks, as far as those can be found, against the learner's file.
std::string diff_outside(const Exercise& exercise, const Submission& learner) {
  const std::vector<std::string> theirs = split_lines(learner.text);
  const auto cut = cut_at_markers(learner.text, learner.file);
  std::string filled;
  for (std::size_t part = 0; part < exercise.cut.outside.size(); ++part) {
    filled += exercise.cut.outside[part];
    if (part >= exercise.cut.regions.size()) continue;
    const BlankRegion& region = exercise.cut.regions[part];
    std::string_view content = std::string_view(exercise.text).substr(region.begin, region.end - region.begin);
    if (cut)
      for (const BlankRegion& other : cut->regions)
        if (other.name == region.name) content = std::string_view(learner.text).substr(other.begin, other.end - other.begin);
    filled += content;
  }
  std::vector<std::string> ours = split_lines(filled);
  for (std::string& line : ours)
    if (const std::string* found = filled_line(line, theirs)) line = *found;
  // A change that is white space alone (in a string, or between two words) shows only when white space counts.
  for (const LineEquality equality : {LineEquality::kIgnoreSpace, LineEquality::kTrimmed, LineEquality::kExact}) {
    std::string diff = unified_diff(ours, theirs, exercise.file, learner.file, equality);
    if (!diff.empty()) return diff;
  }
  return "";
}

Spliced changed(const Exercise& exercise, Submission& learner) {
  Spliced result;
  result.kind = SpliceKind::kChangedOutside;
  result.change = std::move(*learner.change);
  result.diff = diff_outside(exercise, learner);
  return result;
}

/// The exercise with host blanks filled and device blanks cut out.
std::string host_text(const Exercise& exercise, const Submission& learner) {
  std::string out;
  std::size_t at = 0, region = 0;
  for (std::size_t i = 0; i < exercise.blanks.size(); ++i) {
    const BlankPlace& place = exercise.blanks[i];
    std::size_t end = 0;
    if (place.is_region) {
      end = exercise.cut.regions[region++].end;
    } else {
      end = std::min(exercise.text.find_first_not_of('_', place.offset), exercise.text.size());
    }
    out += exercise.text.substr(at, place.offset - at);
    const BlankFill& fill = learner.fills[i];
    if (place.blank.scope == BlankScope::kHost) out += learner.text.substr(fill.begin, fill.end - fill.begin);
    at = end;
  }
  return out + exercise.text.substr(at);
}

SplicedSource ready(const Exercise& exercise, Submission& learner) {
  SplicedSource source;
  source.host_text = host_text(exercise, learner);
  source.only_device_blanks = true;
  for (const BlankFill& fill : learner.fills) {
    source.only_device_blanks = source.only_device_blanks && stays_on_device(learner.text, fill);
    source.blanks.push_back({fill.name, fill.scope, place_of(learner.text, fill.begin, learner.file).line,
                             learner.text.substr(fill.begin, fill.end - fill.begin)});
  }
  source.text = std::move(learner.text);
  return source;
}

/// Cuts the learner's text and compares what stands outside the blanks; `learner` then holds its fills, or where it was changed.
void look_outside(const Exercise& exercise, Submission& learner) {
  const auto cut = cut_at_markers(learner.text, learner.file);
  if (!cut) {
    learner.change = cut.error();
  } else if (same_regions(exercise.cut, *cut)) {
    compare(exercise, *cut, learner);
  } else {
    note_change(learner, cut->regions.empty() ? 0 : cut->regions.front().begin, "the blank markers are not those of the exercise");
  }
}

}  // namespace

Result<Spliced> splice(std::string_view exercise_text, const std::string& exercise_file, std::string_view learner_text,
                       const std::string& learner_file, const Task& task) {
  Exercise exercise;
  if (auto read = read_exercise(exercise_text, exercise_file, task.blanks, exercise); !read) return std::move(read).error();
  Submission learner{learner_file, normalised(learner_text), {}, {}, {}};
  look_outside(exercise, learner);
  if (learner.change) return changed(exercise, learner);

  Spliced result;
  result.only_empty = !learner.open_end;
  if (learner.open_end) result.refusals.push_back(std::move(*learner.open_end));
  for (const BlankFill& fill : learner.fills) {
    auto broken = broken_rule(learner.text, learner_file, fill);
    if (!broken) continue;
    result.only_empty = result.only_empty && broken->is_empty;
    result.refusals.push_back(std::move(broken->error));
  }
  if (!result.refusals.empty()) {
    result.kind = SpliceKind::kRefused;
    return result;
  }
  result.only_empty = false;
  result.source = ready(exercise, learner);
  return result;
}

Result<BlankExtents> find_blanks(std::string_view exercise_text, const std::string& exercise_file, std::string_view learner_text,
                                 const std::string& learner_file, const Task& task) {
  Exercise exercise;
  if (auto read = read_exercise(exercise_text, exercise_file, task.blanks, exercise); !read) return std::move(read).error();
  Submission learner{learner_file, normalised(learner_text), {}, {}, {}};
  look_outside(exercise, learner);
  BlankExtents found;
  found.change = std::move(learner.open_end);
  if (learner.change) found.change = std::move(learner.change);
  for (const BlankFill& fill : learner.fills) found.blanks.push_back({fill.name, fill.is_region, fill.begin, fill.end});
  if (found.change) {
    // The comparison ended early; markers that pair up still say where their blanks are.
    found.blanks.clear();
    if (const auto cut = cut_at_markers(learner.text, learner_file))
      for (const BlankRegion& region : cut->regions)
        if (std::any_of(task.blanks.begin(), task.blanks.end(), [&](const Blank& b) { return b.name == region.name; }))
          found.blanks.push_back({region.name, true, region.begin, region.end});
  }
  found.text = std::move(learner.text);
  return found;
}

Result<std::string> read_submission(const std::filesystem::path& path) {
  auto bytes = read_file(path);
  if (!bytes) return bytes;
  if (const std::size_t good = text_length(*bytes); good < bytes->size())
    return not_text(*bytes, good, path.string(), "expected CUDA C++ source");
  if (bytes->find_first_not_of(" \t\r\n") == std::string::npos) return Error{"is empty, expected CUDA C++ source", Where{path.string()}};
  return bytes;
}

Result<Spliced> splice_file(const Task& task, const std::filesystem::path& learner) {
  const auto theirs = read_submission(learner);
  if (!theirs) return theirs.error();
  const auto ours = read_submission(task.starter);
  if (!ours) return ours.error();
  return splice(*ours, task.starter.string(), *theirs, learner.string(), task);
}

SplicedSource whole_source(std::string_view text) {
  SplicedSource source;
  source.text = normalised(text);
  return source;
}

Result<SplicedSource> whole_file(const std::filesystem::path& path) {
  const auto text = read_submission(path);
  if (!text) return text.error();
  return whole_source(*text);
}

Status check_pair(std::string_view exercise, const std::string& exercise_file, std::string_view solution, const std::string& solution_file,
                  const Task& task) {
  auto spliced = splice(exercise, exercise_file, solution, solution_file, task);
  if (!spliced) return std::move(spliced).error();
  if (spliced->kind == SpliceKind::kRefused) return spliced->refusals.front();
  if (spliced->kind == SpliceKind::kChangedOutside) {
    Error error = spliced->change;
    error.what = fmt::format("exercise and solution differ outside the blanks:\n{}", spliced->diff);
    return error;
  }
  return Done{};
}

}  // namespace warpbook::task
