#include "judge/serve/learner_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "judge/base/files.hpp"
#include "judge/base/hash.hpp"
#include "judge/base/text.hpp"
#include "judge/learner/work_folder.hpp"
#include "judge/task/blanks.hpp"
#include "judge/task/splice.hpp"

namespace warpbook::serve {
namespace {

/// Length in UTF-16 units: one for each character of up to three bytes, two for those of four.
std::size_t utf16_length(std::string_view text) {
  std::size_t units = 0;
  for (const unsigned char c : text) {
    const bool continues = (c & 0xC0) == 0x80;
    constexpr unsigned char kFourBytes = 0xF0;
    if (!continues) units += c >= kFourBytes ? 2 : 1;
  }
  return units;
}

FileRegion region_in(std::string_view text, const task::BlankExtent& extent) {
  FileRegion region;
  region.blank = extent.name;
  region.is_lines = extent.is_region;
  region.begin = extent.begin;
  region.end = extent.end;
  const std::size_t shown_end = extent.is_region && extent.end > extent.begin ? extent.end - 1 : extent.end;
  const auto lines_in = [&](std::size_t from, std::size_t to) { return std::count(text.begin() + from, text.begin() + to, '\n'); };
  region.from_line = 1 + static_cast<int>(lines_in(0, extent.begin));
  const bool empty = extent.is_region && extent.end == extent.begin;
  region.to_line = empty ? region.from_line - 1 : region.from_line + static_cast<int>(lines_in(extent.begin, shown_end));
  region.from = utf16_length(text.substr(0, extent.begin));
  region.to = region.from + utf16_length(text.substr(extent.begin, shown_end - extent.begin));
  return region;
}

/// Whether lines end with CR LF; the first one speaks for all.
bool ends_lines_with_crlf(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  return end != std::string_view::npos && end > 0 && bytes[end - 1] == '\r';
}

/// The text as a file of that kind has it: an editor on Windows should not see every line changed because one was.
std::string with_crlf(std::string_view text) {
  std::string out;
  out.reserve(text.size() + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
  char before = '\0';
  for (const char c : text) {
    if (c == '\n' && before != '\r') out += '\r';
    out += before = c;
  }
  return out;
}

/// The file of `bytes`; `exercise` is that of a lesson.
Result<LearnerFile> file_of(const task::Task& task, const std::string& exercise, const std::string& bytes, const std::string& name) {
  LearnerFile file;
  file.version = content_hash(bytes);
  file.crlf = ends_lines_with_crlf(bytes);
  if (task.kind == task::TaskKind::kExercise) {
    file.text = task::normalised(bytes);
    return file;
  }
  Result<task::BlankExtents> found = task::find_blanks(exercise, task.starter.filename().string(), bytes, name, task);
  if (!found) return std::move(found).error();
  for (const task::BlankExtent& extent : found->blanks) file.regions.push_back(region_in(found->text, extent));
  file.change = std::move(found->change);
  file.text = std::move(found->text);
  return file;
}

Written refused(Written::Kind kind, Error error) {
  Written written;
  written.kind = kind;
  written.error = std::move(error);
  return written;
}

/// `text` with other blanks. Lines get their end.
std::string with_blanks(const LearnerFile& file, const std::map<std::string, std::string>& blanks) {
  std::string out;
  std::size_t at = 0;
  for (const FileRegion& region : file.regions) {
    const auto fill = blanks.find(region.blank);
    if (fill == blanks.end()) continue;
    out += file.text.substr(at, region.begin - at);
    const std::string& text = fill->second;
    out += region.is_lines ? task::normalised(text) : text;
    at = region.end;
  }
  return out + file.text.substr(at);
}

/// The blanks as they stand in the file.
std::map<std::string, std::string> fills_of(const LearnerFile& file) {
  std::map<std::string, std::string> fills;
  for (const FileRegion& region : file.regions) fills[region.blank] = file.text.substr(region.begin, region.end - region.begin);
  return fills;
}

/// What is wrong with the text that would be written: it must read back as the same blanks.
std::optional<Error> broken(const LearnerFile& before, const LearnerFile& after, const std::map<std::string, std::string>& wanted) {
  if (after.change && !before.change) return after.change;
  for (const FileRegion& region : after.regions) {
    const auto fill = wanted.find(region.blank);
    if (fill == wanted.end()) continue;
    const std::string_view found = std::string_view(after.text).substr(region.begin, region.end - region.begin);
    const bool same = region.is_lines ? found == task::normalised(fill->second) : trimmed(found) == trimmed(fill->second);
    if (!same)
      return Error{
          fmt::format("blank '{}' would not be read back as it is written: it holds a line that looks like a marker", region.blank)};
  }
  return std::nullopt;
}

/// A copy of the file as exercise.cu.before-1, -2, ...: restoring throws away whatever is in no blank, and that may be the learner's work.
Status keep_beside(const std::filesystem::path& path, int most) {
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) return Done{};
  for (int i = 1; i <= most; ++i) {
    const std::filesystem::path copy = fmt::format("{}.before-{}", path.string(), i);
    const auto how = i == most ? std::filesystem::copy_options::overwrite_existing : std::filesystem::copy_options::none;
    if (std::filesystem::copy_file(path, copy, how, failed)) return Done{};
    if (failed != std::errc::file_exists) break;
  }
  return Error{fmt::format("the old file cannot be kept beside it: {}", failed.message()), Where{path.filename().string()}};
}

}  // namespace

Result<LearnerFile> look_at_file(const learner::Workbook& workbook, const task::Task& task) {
  const Result<std::string> exercise = read_file(task.starter);
  if (!exercise) return exercise.error();
  const std::filesystem::path path = learner::work_file(workbook, task);
  const std::string name = learner::shown_path(workbook, path);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return file_of(task, *exercise, *exercise, name);
  const Result<std::string> bytes = read_file(path);
  const bool readable = bytes && is_text(*bytes);
  if (readable) {
    Result<LearnerFile> file = file_of(task, *exercise, *bytes, name);
    if (file) file->exists = true;
    return file;
  }
  LearnerFile file;
  file.exists = true;
  file.version = bytes ? content_hash(*bytes) : "unreadable";
  file.trouble = bytes ? Error{"is not UTF-8 text, expected CUDA C++ source", Where{name}} : bytes.error();
  return file;
}

nlohmann::json to_json(const LearnerFile& file) {
  nlohmann::json regions = nlohmann::json::array();
  for (const FileRegion& r : file.regions)
    regions.push_back(
        {{"blank", r.blank}, {"from_line", r.from_line}, {"to_line", r.to_line}, {"from", r.from}, {"to", r.to}, {"lines", r.is_lines}});
  nlohmann::json out = {{"text", file.text},
                        {"version", file.version},
                        {"source_hash", content_hash(file.text)},
                        {"regions", std::move(regions)},
                        {"exists", file.exists},
                        {"outside_changed", file.change.has_value()}};
  if (file.change) out["change"] = {{"message", file.change->what}, {"line", file.change->where.line}};
  if (file.trouble) out["trouble"] = file.trouble->what;
  return out;
}

Written write_learner_file(const learner::Workbook& workbook, const task::Task& task, const FileChange& change) {
  const auto failed = [](Error error) { return refused(Written::Kind::kFailed, std::move(error)); };
  Result<LearnerFile> now = look_at_file(workbook, task);
  if (!now) return failed(now.error());
  if (now->version != change.base_version) return {Written::Kind::kConflict, std::move(*now), {}};
  const Result<std::string> exercise = read_file(task.starter);
  if (!exercise) return failed(exercise.error());
  const std::filesystem::path path = learner::work_file(workbook, task);
  const bool crlf = now->crlf;
  std::string text;
  if (change.text) {
    text = *change.text;
  } else {
    if (now->trouble && !change.restore) return refused(Written::Kind::kRefused, *now->trouble);
    LearnerFile base = std::move(*now);
    std::map<std::string, std::string> wanted = change.blanks;
    if (change.restore) {
      for (const auto& [name, fill] : fills_of(base)) wanted.try_emplace(name, fill);
      Result<LearnerFile> pristine = file_of(task, *exercise, *exercise, path.filename().string());
      if (!pristine) return failed(pristine.error());
      base = std::move(*pristine);
    }
    for (const auto& [name, fill] : change.blanks)
      if (std::none_of(base.regions.begin(), base.regions.end(), [&, &blank = name](const FileRegion& r) { return r.blank == blank; }))
        return refused(Written::Kind::kRefused, Error{fmt::format("there is no blank '{}' to write to in the file", name)});
    text = with_blanks(base, wanted);
    const Result<LearnerFile> after = file_of(task, *exercise, text, path.filename().string());
    if (!after) return failed(after.error());
    if (auto fault = broken(base, *after, change.blanks)) return refused(Written::Kind::kRefused, std::move(*fault));
  }
  if (crlf) text = with_crlf(text);
  if (!is_text(text)) return refused(Written::Kind::kRefused, Error{"the text holds a NUL, which no source has"});
  if (text.size() > change.most_bytes)
    return refused(Written::Kind::kTooLarge,
                   Error{fmt::format("the file would have {} bytes, expected at most {}", text.size(), change.most_bytes)});
  if (change.restore)
    if (Status kept = keep_beside(path, change.most_copies); !kept) return failed(std::move(kept).error());
  if (Status ok = write_file(path, text); !ok) return failed(std::move(ok).error());
  now = look_at_file(workbook, task);
  if (!now) return failed(now.error());
  return {Written::Kind::kDone, std::move(*now), {}};
}

}  // namespace warpbook::serve
