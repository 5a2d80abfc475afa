#pragma once
// What an author may want to mend. Nothing here decides about a task: `judge verify` is the gate.
#include <filesystem>
#include <string>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/task/task.hpp"

namespace warpbook::lint {

struct Options {
  std::filesystem::path root;  ///< of the workbook: the glossary is in lessons/README.md
  bool network = false;        ///< ask for http links, too
};

/// A weakness: where (the file, and the line where it has one) and what, with what is expected.
using Note = Error;

/// Every note about a task: of the manifest, then of the text, then of the translation.
std::vector<Note> lint(const task::Task& task, const Options& options);

// The checks, one for each part.
void lint_manifest(const task::Task& task, std::vector<Note>& notes);
void lint_text(const task::Task& task, const Options& options, std::vector<Note>& notes);
void lint_chinese(const task::Task& task, std::vector<Note>& notes);

/// A note as a line: "lesson.md:12: what is, expected what should be"; `file` is how the reader knows the note's file.
std::string line_of(const Note& note, const std::string& file);

/// The largest blank a learner oversees at once.
inline constexpr int kLargestBlank = 15;
inline constexpr std::size_t kFoldedQuestions = 5;

}  // namespace warpbook::lint
