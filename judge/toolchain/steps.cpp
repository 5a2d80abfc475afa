#include "judge/toolchain/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "judge/run/process.hpp"

namespace warpbook::toolchain {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// The tools take 5 ms to 500 ms; a look every millisecond costs nothing against that and lets one half end the other.
constexpr milliseconds kLook{1};

// A template that expands without end may take all memory of a shared machine; honest files need a tenth of this.
constexpr std::uint64_t kMemory = std::uint64_t{8} << 30;
constexpr std::uint64_t kOutput = 4u << 20;
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 30;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Steps::Steps(std::filesystem::path folder, std::map<std::string, std::string> environment, double time_limit_seconds)
    : folder_(std::move(folder)),
      environment_(std::move(environment)),
      deadline_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time_limit_seconds))) {
  // Messages in the language that messages_*.cpp read, whatever the person's.
  environment_.insert_or_assign("LC_ALL", std::string("C"));
  // What the tools put into /tmp would outlive them when they are killed; in the scratch folder it goes with the rest.
  environment_["TMPDIR"] = folder_.string();
  // cudafe++ clears 180 MB in 4 kB pages, which takes it 0.8 s of CPU time; with large pages for its heap it is 0.2 s. A C library that
  // does not know the word ignores it.
  environment_["GLIBC_TUNABLES"] = "glibc.malloc.hugetlb=1";
}

bool Steps::run(const Words& words, Speaker who, Part& part) {
  const std::string tool = base_name(words[0]);
  const auto stop = [&](StopReason reason, std::string details = {}) {
    part.stop = Stop{reason, tool, std::move(details)};
    return false;
  };
  if (cancelled_) return stop(StopReason::kCancelled);
  const auto left = std::chrono::duration_cast<milliseconds>(deadline_ - Clock::now());
  if (left <= milliseconds{0}) return stop(StopReason::kTimeLimit);
  run::Command command;
  command.argv = words;
  command.folder = folder_.string();
  command.set_environment = environment_;
  command.limits.wall = left;
  command.limits.memory = kMemory;
  command.limits.output = kOutput;
  command.limits.file_size = kLargestFile;
  Result<run::Child> child = run::Child::start(command);
  if (!child) return stop(run::interrupted() ? StopReason::kInterrupted : StopReason::kNotStarted, child.error().what);
  while (!child->poll()) {
    if (cancelled_) {
      child->kill();
      child->wait();
      return stop(StopReason::kCancelled);
    }
    std::this_thread::sleep_for(kLook);
  }
  const run::Outcome outcome = child->wait();
  if (const std::string text = outcome.err + outcome.out; !text.empty()) part.said.push_back({who, text});
  switch (outcome.ending) {
    case run::Ending::kWallLimit:
    case run::Ending::kCpuLimit: return stop(StopReason::kTimeLimit);
    case run::Ending::kInterrupted: return stop(StopReason::kInterrupted);
    case run::Ending::kSignalled: return stop(StopReason::kFailed, fmt::format("signal {}", outcome.code));
    case run::Ending::kExited: break;
  }
  return outcome.code == 0 || stop(StopReason::kFailed, fmt::format("exit status {}", outcome.code));
}

}  // namespace warpbook::toolchain
