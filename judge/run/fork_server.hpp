#pragma once
// Inside of judge/run: workers by fork instead of by exec. Most of what a worker costs is the dynamic linker, which maps and relocates the
// same libraries for every case of every submission. So one process of the worker program loads the runtime once, never loads a
// submission, and forks for each launch. (The same idea made fuzzers fast: M. Zalewski, "Fuzzing random programs without execve()", 2014.)
//
// The forked process is a child of the judge and not of the server (CLONE_PARENT), so limits, waiting and ending are those of any child.
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "judge/base/error.hpp"
#include "judge/run/process.hpp"

namespace warpbook::run {

inline constexpr std::uint32_t kForkMagic = 0x31464257;  // "WBF1"
inline constexpr int kForkDescriptors = 4;               ///< control, device, stdout, stderr: in this order beside an order

/// What the server is told of one worker; the path of the submission follows in the same message. 0: no limit.
struct ForkOrder {
  std::uint32_t magic = kForkMagic;
  std::int32_t judge = 0;  ///< process id: whose end is the worker's end
  std::uint64_t cpu_seconds = 0, memory = 0, file_size = 0;
};

/// What a server needs to be the right one.
struct ForkServerKey {
  std::filesystem::path worker, runtime;
  std::map<std::string, std::string> environment;
  bool operator==(const ForkServerKey&) const = default;
};

/// A worker forked by this thread's server, which is started when there is none that fits. `control` and `device` are the worker's
/// ends, still the caller's to close. The error says what of it could not be done.
Result<Child> fork_worker(const ForkServerKey& key, const std::filesystem::path& submission, const Limits& limits, int control, int device);

}  // namespace warpbook::run
