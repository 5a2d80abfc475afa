#include "judge/lint/lint.hpp"

#include <fmt/format.h>

namespace warpbook::lint {

std::string line_of(const Note& note, const std::string& file) {
  return note.where.line > 0 ? fmt::format("{}:{}: {}", file, note.where.line, note.what) : fmt::format("{}: {}", file, note.what);
}

std::vector<Note> lint(const task::Task& task, const Options& options) {
  std::vector<Note> notes;
  lint_manifest(task, notes);
  lint_text(task, options, notes);
  lint_chinese(task, notes);
  return notes;
}

}  // namespace warpbook::lint
