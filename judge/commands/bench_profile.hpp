#pragma once
// judge bench --ncu: one launch under Nsight Compute, as eight figures with what follows from each.
#include <filesystem>
#include <string>

#include "judge/commands/command.hpp"
#include "judge/grade/submission.hpp"
#include "judge/task/task.hpp"

namespace warpbook::commands {

/// The program ncu: in PATH, beside nvcc, or where its own installer puts it. The error says where it was looked for.
Result<std::filesystem::path> find_ncu(const std::filesystem::path& toolkit_root);

/// Builds the submission with the case (at its shape for a GPU) as a program of its own, as `judge export` does, and has `ncu` watch it.
/// `bytes`: that a launch must move. The text for the terminal.
Result<std::string> profile_case(const task::Task& task, const task::Case& c, const grade::Submission& submission,
                                 const grade::GradeOptions& options, const std::filesystem::path& ncu, std::uint64_t bytes,
                                 const report::Style& style);

}  // namespace warpbook::commands
