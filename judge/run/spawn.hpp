#pragma once
// Inside of judge/run: the step from a Command to a running program.
#include "judge/base/error.hpp"
#include "judge/run/process.hpp"

namespace warpbook::run {

/// A program that was started: its process id and our ends of its pipes (not blocking, closed on exec).
struct Spawned {
  int pid = -1;
  int out = -1;
  int err = -1;
};

/// Starts `command` as the leader of a new process group; the error names a program that does not exist or cannot run.
Result<Spawned> spawn(const Command& command);

}  // namespace warpbook::run
