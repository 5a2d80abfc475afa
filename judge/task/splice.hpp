#pragma once
// From a learner's file to the text that is compiled: their blanks in our exercise.
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/task/task.hpp"

namespace warpbook::task {

/// What stands in one blank, and from which line of the learner's file on.
struct FilledBlank {
  std::string name;
  BlankScope scope = BlankScope::kDevice;
  int first_line = 0;
  std::string text;
};

/// A text ready for nvcc; line N of it is line N of the learner's file.
struct SplicedSource {
  std::string text;
  std::vector<FilledBlank> blanks;  ///< in file order; none for an open problem
  bool only_device_blanks = false;  ///< the host half of a compile depends on `host_text` alone
  std::string host_text;            ///< the exercise without its device blanks; input of the compile cache's host key
};

enum class SpliceKind {
  kReady,
  kRefused,         ///< a blank is empty or breaks a rule: not compiled
  kChangedOutside,  ///< VETO
};

/// What came of a learner's file.
struct Spliced {
  SpliceKind kind = SpliceKind::kReady;
  SplicedSource source;         ///< kReady
  std::vector<Error> refusals;  ///< kRefused: one for each blank, with file, line, column and source line
  bool only_empty = false;      ///< kRefused: every refusal is a blank that is not filled yet
  Error change;                 ///< kChangedOutside: the first place
  std::string diff;             ///< kChangedOutside: unified diff, the exercise with the learner's blanks against their file
};

/// Splices. White space, CRLF, a BOM and a missing final newline are no changes. The Error is an author's mistake: the exercise's
/// blanks are not the manifest's, or its text does not lex.
Result<Spliced> splice(std::string_view exercise, const std::string& exercise_file, std::string_view learner,
                       const std::string& learner_file, const Task& task);

/// Where a blank stands in a learner's text.
struct BlankExtent {
  std::string name;
  bool is_region = false;          ///< whole lines between markers; else an expression inside of a line
  std::size_t begin = 0, end = 0;  ///< bytes of what fills it
};

/// A learner's text and its blanks, for an editor that lets nothing else be changed.
struct BlankExtents {
  std::string text;                 ///< normalised; offsets are into it
  std::vector<BlankExtent> blanks;  ///< in file order; those that can be found when the text outside was changed
  std::optional<Error> change;      ///< the first place where the text outside was changed
};

/// Finds the blanks of a learner's text, filled rightly or not. The Error is an author's mistake, as of splice().
Result<BlankExtents> find_blanks(std::string_view exercise, const std::string& exercise_file, std::string_view learner,
                                 const std::string& learner_file, const Task& task);

/// splice() from files; lessons only. A learner's file that cannot be read or is not text is an Error too.
Result<Spliced> splice_file(const Task& task, const std::filesystem::path& learner);

/// A whole text that is judged as it stands (open problems; the author's own submissions), line ends and BOM made uniform.
SplicedSource whole_source(std::string_view text);

/// The same from a file.
Result<SplicedSource> whole_file(const std::filesystem::path& path);

/// A `.cu` of a learner: a regular file of at most 1 MiB of UTF-8 text, not empty.
Result<std::string> read_submission(const std::filesystem::path& path);

/// Exercise and solution are equal outside blanks and every blank of the solution is filled; the Error shows the first difference.
Status check_pair(std::string_view exercise, const std::string& exercise_file, std::string_view solution, const std::string& solution_file,
                  const Task& task);

}  // namespace warpbook::task
