#pragma once
// Inside of judge/toolchain: running one tool after another under one deadline.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "judge/toolchain/plan.hpp"

namespace warpbook::toolchain {

/// Who said something: each has a way of its own to name a place.
enum class Speaker { kPreprocessor, kFrontEnd, kHostCompiler, kAssembler, kLinker, kDriver };

/// What a tool wrote on its outputs.
struct Said {
  Speaker who;
  std::string text;
};

enum class StopReason { kFailed, kTimeLimit, kInterrupted, kCancelled, kNotStarted };

/// Why the work did not go on.
struct Stop {
  StopReason reason = StopReason::kFailed;
  std::string tool;     ///< "cicc"
  std::string details;  ///< "exit status 2", "signal 11", or why it did not start
};

/// What came of one half, or of the link.
struct Part {
  std::optional<Stop> stop;
  std::vector<Said> said;
  bool ok() const { return !stop; }
};

/// Runs tools in one folder. Used by several threads at once; each call waits in the thread that makes it.
class Steps {
 public:
  Steps(std::filesystem::path folder, std::map<std::string, std::string> environment, double time_limit_seconds);
  /// Runs `words`; adds what it says to `part`; false (with part.stop) unless it exits with 0.
  bool run(const Words& words, Speaker who, Part& part);
  /// Ends all that runs and refuses what would start.
  void cancel() { cancelled_ = true; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::string> environment_;
  std::chrono::steady_clock::time_point deadline_;
  std::atomic<bool> cancelled_{false};
};

}  // namespace warpbook::toolchain
