#pragma once
// Several submissions of one task in one compilation.
//
// A call of nvcc takes a second, and nearly all of it is spent on CUDA's own headers: fourteen kernels take hardly longer than one. The
// author's gate compiles twenty files a task, and whoever compares a failure with known mistakes compiles them on a learner's machine. So
// files of authors are put into a namespace each, behind the includes of all, and compiled as one. Each has a launch function of its own
// name; what they share is the library and the PTX file. A learner's file is always compiled alone.
//
// What cannot be put into a namespace is compiled alone, too: files with macros (they would leak into the next), with C names, and all of
// a group in which the compiler finds an error, so that its messages are those of the file alone.
#include <string_view>
#include <vector>

#include "judge/grade/grade.hpp"

namespace warpbook::grade {

/// As build_code() for each, in order; `options.jobs` compilations at once.
std::vector<Built> build_together(const task::Task& task, const std::vector<Submission>& submissions, const GradeOptions& options);

/// Whether a file means the same inside a namespace.
bool fits_into_namespace(std::string_view text);

/// The hash by which the result of a submission is known, without compiling it; empty when it cannot be had.
std::string hash_of_build(const task::Task& task, const Submission& submission, const GradeOptions& options);

}  // namespace warpbook::grade
