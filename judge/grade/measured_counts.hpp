#pragma once
// What Nsight Compute counted for the reference solutions on an H200 (judge/tests/calibration/launches.csv, and how it was made, in its
// README): the author's gate asks the virtual GPU for the same numbers. Where they differ the assembler has changed an access, or the
// solution asks the device for its size; launches-explained.csv says which, and what the virtual GPU counts instead.
#include <filesystem>
#include <map>
#include <string>

#include "judge/base/error.hpp"
#include "judge/grade/result.hpp"

namespace warpbook::grade {

/// The seed of the measured inputs.
inline constexpr std::uint64_t kMeasuredSeed = 1;

class MeasuredCounts {
 public:
  /// The rows of one task; empty where nothing was measured. Errors name the line of the table.
  static Result<MeasuredCounts> read(const std::filesystem::path& root, const std::string& task);

  bool empty() const { return launches_.empty(); }
  /// What differs in `result`, in words: every kernel of the case, every metric. Empty: nothing.
  std::string differences(const CaseResult& result) const;

 private:
  /// A kernel of a case: its name without template arguments, grid, block.
  using Launch = std::string;
  using Counts = std::map<std::string, std::uint64_t>;
  static Launch launch_of(const std::string& case_name, const device::KernelMeters& kernel);

  std::map<Launch, Counts> launches_;  ///< what the virtual GPU must count: measured, or explained
};

}  // namespace warpbook::grade
