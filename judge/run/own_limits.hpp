#pragma once
// Inside of judge/run: a new process takes its limits upon itself, before it becomes a program or runs foreign code.
#include "judge/run/process.hpp"

namespace warpbook::run {

/// Lowers this process's limits to `limits` (the wall clock and the output are the parent's to watch) and forbids core files. Makes system
/// calls only, so that it may be called between vfork and exec. False with errno when one cannot be set.
bool set_own_limits(const Limits& limits);

}  // namespace warpbook::run
