#pragma once
// A grid: blocks run one after another, in order, so that sums of floats come out the same every time. A block that can only wait for
// others gives way to the next one, up to as many as fit on the device at once; grid barriers written by hand therefore work while all
// blocks fit and hang, with a report, when they do not.
#include <memory>
#include <vector>

#include "judge/vgpu/block.hpp"

namespace warpbook::vgpu {

class Grid {
 public:
  /// `resident`: how many blocks the device holds at once.
  Grid(LaunchContext& context, std::uint64_t resident) : context_(context), resident_(resident) {}

  /// Runs all blocks; findings are in the context.
  void run();

 private:
  bool start_next();
  void report_deadlock();
  void report_budget();

  LaunchContext& context_;
  std::uint64_t resident_;
  std::uint64_t next_ = 0;  ///< block to start next
  bool over_budget_ = false;
  std::vector<std::unique_ptr<Block>> running_;
  std::vector<std::unique_ptr<Block>> idle_;  ///< finished ones, to be used again
};

}  // namespace warpbook::vgpu
