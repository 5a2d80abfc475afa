#pragma once
// The fork server's side of judge/run/fork_server.hpp: a process with the runtime in memory that forks for each launch. It never loads a
// submission itself, so every worker begins with the same clean memory.
#include <functional>

namespace warpbook::run {

/// Takes orders from descriptor 3 until the judge closes it. `work` is called in the forked process, whose descriptors are in their places
/// and whose limits are set; it does not return.
[[noreturn]] void serve_forks(const std::function<void(const char* submission)>& work);

}  // namespace warpbook::run
