#pragma once
// The least that memory must move for a case: each input read once, each output written once, whatever the kernel does. It follows from the
// shapes alone, so it is known of every attempt.
#include <cstdint>
#include <optional>

#include "judge/task/task.hpp"

namespace warpbook::task {

/// Bytes of what goes in and what comes out of `c`. Tensors that share memory are read and written all the same. Nothing when the task's
/// operator is not there or a shape does not follow from the case.
std::optional<std::int64_t> compulsory_bytes(const Task& task, const Case& c);

/// The normal case with the most elements, which shows best what a kernel reads; null when there is none.
const Case* telling_case(const Task& task);

}  // namespace warpbook::task
