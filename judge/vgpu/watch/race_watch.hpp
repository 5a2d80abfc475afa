#pragma once
// Finds races: two accesses to one byte, at least one of them a write, not both atomic or volatile, that nothing orders.
//
//   race_stamp    when and by whom, in eight bytes
//   race_shadow   the last write and two reads of each word
//   race_block    what the threads of a block know of each other: barriers, __syncwarp, fences
//   race_release  what is handed on through memory: flags, locks, counters
//   race_touch    an access: compared with what is in the shadow, then put there
//   race_report   the findings
//
// Strict where a kernel forgets something (a shuffle orders nothing, a flag without a fence hands nothing on), lenient where the other side
// is at stake: any strong load acquires, whatever value it sees and whether or not a fence follows it; threads that have ended count as
// having come to every barrier; a warp that came to a named barrier in part counts as a whole.
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "judge/vgpu/access.hpp"
#include "judge/vgpu/watch/actor.hpp"
#include "judge/vgpu/watch/race_block.hpp"
#include "judge/vgpu/watch/race_report.hpp"

namespace warpbook::vgpu {

class RaceWatch {
 public:
  explicit RaceWatch(LaunchContext& context);
  ~RaceWatch();

  void start_block(const Block& block);
  void end_block(const Block& block);

  /// An access that has been checked and whose bytes have not moved yet, for the `lanes` of it that lie in `region`. False: the launch
  /// ends.
  bool global(const Actor& actor, const Access& access, Region& region, LaneMask lanes);
  /// The same for shared memory; addresses are offsets.
  bool shared(const Actor& actor, const Access& access, LaneMask lanes);

  /// Barrier `number` of the block is complete: what the lanes in `arrived` (a mask per warp) did before is ordered before what the lanes
  /// that wait at it do next.
  void block_barrier(const Block& block, int number, std::span<const LaneMask> arrived);
  /// bar.warp.sync of `lanes` is complete.
  void warp_barrier(const Actor& actor, LaneMask lanes);
  /// membar or fence.
  void fence(const Actor& actor, LaneMask lanes, ptx::Scope scope);
  /// Synchronisation through an object at `address` (mbarrier): what the lane did before is ordered before what those do who acquire it.
  void release(const Actor& actor, int lane, ptx::Space space, Address address);
  void acquire(const Actor& actor, int lane, ptx::Space space, Address address);

  /// For whoever looks at the shadow when the launch is over: its number there, the regions it touched, which block ran when.
  std::uint64_t launch() const { return launch_; }
  const std::vector<Region*>& touched() const { return touched_; }
  std::uint64_t linear_block_at(RaceTime time) const { return linear_[block_at(time)]; }
  const device::Dim3& grid() const { return context_.launch.grid; }
  const device::Dim3& block() const { return context_.launch.block; }

 private:
  struct Touch;
  /// From `time` on (until the next turn) the block with that number ran.
  struct Turn {
    RaceTime time;
    std::uint32_t block;
  };

  RaceBlock& run(const Block& block);
  RaceTime tick();
  std::uint32_t block_at(RaceTime time) const;
  std::uint64_t key(ptx::Space space, Address address) const;

  // race_touch.cpp
  void touch(Touch& touch, RaceShadow& shadow, LaneMask lanes);
  bool touch_uniform(Touch& touch, RaceShadow& shadow, LaneMask lanes);
  void touch_lane(Touch& touch, RaceShadow& shadow, int lane);
  bool touch_cell(Touch& touch, RacePage& page, std::size_t cell, int lane);
  void touch_cells(Touch& touch, RacePage& page, Address address, std::size_t count, int lane, unsigned lane_shift);
  void compare(Touch& touch, RaceStamp earlier, bool earlier_writes, int lane, Address address, std::uint32_t bytes);
  void hand_on(Touch& touch, LaneMask lanes);
  bool finish(Touch& touch, LaneMask lanes);

  LaunchContext& context_;
  const std::uint64_t launch_;  ///< shadows know by it that what they hold is of an earlier launch
  RaceTime now_ = 0;
  bool exhausted_ = false;  ///< no times are left: nothing is watched any more
  std::unordered_map<const Block*, std::unique_ptr<RaceBlock>> blocks_;
  const Block* running_ = nullptr;
  RaceBlock* running_races_ = nullptr;
  RaceTime resumed_ = 0;               ///< when the running block got its turn
  std::vector<Turn> turns_;            ///< by time
  std::vector<std::uint64_t> linear_;  ///< of each block number: its index in the grid
  std::vector<Region*> touched_;       ///< of global memory
  Region* touched_last_ = nullptr;
  std::vector<LaneMask> waiting_;      ///< scratch
  RaceReleases releases_;
  RaceReports reports_;
};

}  // namespace warpbook::vgpu
