#pragma once
// One case of a task, run as `judge run` runs it (a bench on the virtual GPU in a process of its own, the host code in a worker), with a
// recorder looking over the shoulder of one block.
#include "judge/grade/grade.hpp"
#include "judge/trace/recorder.hpp"

namespace warpbook::trace {

/// The macros of a trace build: they switch WATCH on (common/kernel/watch.cuh).
inline constexpr const char* kPrelude = "#define WARPBOOK_TRACE 1\n";

struct Request {
  const task::Task& task;
  const task::Case& chosen;
  const grade::Built& built;  ///< with kPrelude
  const grade::GradeOptions& options;
  Order order;
};

/// The data of the page (README.md, "The data"). The error says why nothing was recorded: no such launch, no such block.
Result<nlohmann::json> trace_case(const Request& request);

}  // namespace warpbook::trace
