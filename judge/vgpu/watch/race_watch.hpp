#pragma once
// Finds races: two accesses to one byte, at least one of them a write, not both atomic or volatile, that nothing orders.
#include <span>

#include "judge/vgpu/access.hpp"
#include "judge/vgpu/watch/actor.hpp"

namespace warpbook::vgpu {

class RaceWatch {
 public:
  explicit RaceWatch(LaunchContext& context);
  ~RaceWatch();

  void start_block(const Block& block);
  void end_block(const Block& block);

  /// An access that has been checked and whose bytes have not moved yet, for the `lanes` of it that lie in `region`. False: the launch ends.
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

 private:
  LaunchContext& context_;
};

}  // namespace warpbook::vgpu
