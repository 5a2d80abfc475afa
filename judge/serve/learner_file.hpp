#pragma once
// The learner's file on disk, as the editor of the page sees it: a text, and the stretches of it that may be changed. The file on disk
// is the one truth: a version is the hash of its bytes, and who writes says which version they saw.
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/base/files.hpp"
#include "judge/learner/workbook.hpp"
#include "judge/task/task.hpp"

namespace warpbook::serve {

/// A blank in a text: lines from 1, and the same stretch in UTF-16 units from 0, as editors of the browser count, without the end of its
/// last line. An empty blank between two markers has to_line = from_line - 1.
struct FileRegion {
  std::string blank;
  int from_line = 1, to_line = 1;
  std::size_t from = 0, to = 0;
  bool is_lines = true;            ///< else it stands inside of a line
  std::size_t begin = 0, end = 0;  ///< bytes of the text
};

struct LearnerFile {
  std::string text;     ///< line ends made uniform; the exercise when the learner has no file yet
  std::string version;  ///< of the bytes on disk
  std::vector<FileRegion> regions;
  bool exists = false;
  bool crlf = false;             ///< lines on disk end with CR LF, and so they stay when it is written
  std::optional<Error> change;   ///< where text outside the blanks was changed
  std::optional<Error> trouble;  ///< it cannot be read as a source; `text` is empty
};

/// The Error is the workbook's: the exercise cannot be read.
Result<LearnerFile> look_at_file(const learner::Workbook& workbook, const task::Task& task);

/// {text, version, source_hash, regions, exists, outside_changed, change?, trouble?}
nlohmann::json to_json(const LearnerFile& file);

/// What is to be written.
struct FileChange {
  std::string base_version;
  std::map<std::string, std::string> blanks;  ///< of a lesson: what fills them
  std::optional<std::string> text;            ///< of an open problem
  bool restore = false;                       ///< of a lesson: put the exercise's own text around the blanks
  std::uint64_t most_bytes = kLargestText;    ///< that the file may have
  int most_copies = 1000;                     ///< of old files beside it; the last one is replaced when there are so many
};

/// How a write ended.
struct Written {
  enum class Kind { kDone, kConflict, kRefused, kTooLarge, kFailed } kind = Kind::kDone;
  LearnerFile file;  ///< as it is now: also in a conflict
  Error error{};     ///< kRefused, kTooLarge, kFailed
};

/// Writes when the file is still the version named. Two writers of one file must not call it at once.
Written write_learner_file(const learner::Workbook& workbook, const task::Task& task, const FileChange& change);

}  // namespace warpbook::serve
