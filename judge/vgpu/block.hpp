#pragma once
// A block: its warps, its shared memory, its sixteen barriers. Warps take turns; a warp runs until it must wait or has had its turn.
#include <array>
#include <memory>
#include <vector>

#include "judge/vgpu/waiters.hpp"
#include "judge/vgpu/warp.hpp"

namespace warpbook::vgpu {

inline constexpr int kBarriers = 16;

/// A barrier between its first arrival and its completion.
struct Barrier {
  bool open = false;
  std::uint32_t expected = 0;     ///< threads; 0: all of the block that have not exited
  std::uint32_t threads = 0;      ///< arrived so far, whole warps counting 32
  std::vector<LaneMask> arrived;  ///< per warp
  std::uint32_t votes = 0;        ///< bar.red: threads whose predicate holds
  std::uint32_t voters = 0;
};

enum class BlockStatus : std::uint8_t {
  kDone,
  kWaits,     ///< every warp waits; some for a change of memory, so another block may help
  kTurnOver,  ///< nothing in memory has changed for a while
  kFault,
};

class Block {
 public:
  Block(LaunchContext& context);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  /// Ready to run block number `linear` of the grid.
  void start(std::uint64_t linear);
  BlockStatus run();
  /// True when a warp could go on.
  bool can_run() const;

  device::Dim3 index() const { return index_; }
  std::uint64_t linear_index() const { return linear_; }
  std::byte* shared() const { return shared_.get(); }
  DefinedBytes* shared_defined() const { return shared_defined_.get(); }
  Mbarriers& mbarriers() { return mbarriers_; }
  WordsInFlight& in_flight() { return in_flight_; }
  /// Thread coordinates of a lane.
  device::Dim3 thread(int warp, int lane) const;

  /// Lanes of a warp come to barrier `number`; `whole`: they are all of the warp that is alive.
  void arrive(int number, std::uint32_t expected, int warp, LaneMask lanes, bool whole, LaneMask votes);

  /// Adds who waits where.
  void describe_waiters(WaiterGroups& groups) const;
  const std::vector<std::unique_ptr<Warp>>& warps() const { return warps_; }

 private:
  void complete_barriers();
  bool is_complete(const Barrier& barrier) const;
  void report_deadlock();

  LaunchContext& context_;
  std::uint64_t linear_ = 0;
  device::Dim3 index_{0, 0, 0};
  std::unique_ptr<std::byte[]> shared_;
  std::unique_ptr<DefinedBytes> shared_defined_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::vector<std::size_t> order_;  ///< in which warps take turns
  std::vector<WarpStatus> status_;
  std::array<Barrier, kBarriers> barriers_;
  Mbarriers mbarriers_;
  WordsInFlight in_flight_;  ///< what cp.async is filling
  bool dirty_barriers_ = false;  ///< somebody arrived or ended since barriers were last looked at
};

/// A fault that says that nobody can go on; its waiters are filled by the caller.
device::Fault deadlock_fault(const LaunchContext& context, const Block& block);

}  // namespace warpbook::vgpu
