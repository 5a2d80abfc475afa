#pragma once
// The kill matrix as a part of the README of a task's folder: whoever reads the folder sees what each case is there for without running
// anything. It stands between two marker lines; what is outside them is its author's. It holds verdicts and no figures, so that it is the
// same on every machine.
#include <filesystem>
#include <string>

#include "judge/grade/verify.hpp"
#include "judge/grade/verify_entry.hpp"

namespace warpbook::grade {

/// What the gate's check of the file is called.
inline constexpr std::string_view kMatrixCheck = "README.md holds this kill matrix";

/// Lists the task's files, its cases, and submissions x cases, as Markdown between the markers.
std::string matrix_section(const task::Task& task, const std::vector<Entry>& entries);

/// `text` with `section` in the place of the one that is there, or behind its end. An empty `text` gets the title of the task first.
std::string with_section(const std::string& text, const std::string& section, const task::Task& task);

/// The README of the task's folder.
std::filesystem::path matrix_file(const task::Task& task);

}  // namespace warpbook::grade
