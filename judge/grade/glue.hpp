#pragma once
// The few lines of C++ that give a task's launch function a C name and a uniform signature, so that the worker can call it without knowing
// what it takes: extern "C" int warpbook_launch(void* const* arguments). They are compiled as part of the host half; a learner whose
// function has another signature gets the compiler's own message about it.
#include <string>

#include "judge/base/error.hpp"
#include "judge/task/task.hpp"

namespace warpbook::grade {

/// The declaration learners are asked for: "cudaError_t launch_softmax(const float* x, float* y, int rows, int cols)".
Result<std::string> launch_declaration(const task::Task& task);

/// Glue for toolchain::Source::glue. `name`: of the C function; `scope`: the namespace in which the launch function is, empty: none.
Result<std::string> launch_glue(const task::Task& task, const std::string& name = "warpbook_launch", const std::string& scope = "");

/// Lines that take back the macros of every word in `text`: what stands above it in a file must not decide what it means.
std::string without_macros(const std::string& text);

}  // namespace warpbook::grade
