#pragma once
// Who waits where, told in few lines: warps and blocks that wait for the same thing at the same place are one entry, so a grid of 432
// blocks of 16 warps that hangs is two or three lines and not the first 24 of 6,912.
#include <cstdint>
#include <string>
#include <vector>

#include "judge/device/device.hpp"
#include "judge/vgpu/registers.hpp"

namespace warpbook::vgpu {

class WaiterGroups {
 public:
  /// `name_blocks`: of a grid of several blocks, each entry says which ones.
  explicit WaiterGroups(bool name_blocks) : name_blocks_(name_blocks) {}

  /// Lanes of warp `warp` of `block`. Blocks come one after the other, warps of a block in order. `waiter`: what and where.
  void add(const device::Dim3& block, int warp, LaneMask lanes, device::Waiter waiter);
  /// The first `limit` entries: those that wait, then those that have ended; more are counted in a last one.
  std::vector<device::Waiter> take(std::size_t limit);

 private:
  struct Group {
    device::Waiter waiter;
    LaneMask lanes;
    std::vector<int> warps;  ///< of one block
    std::vector<device::Dim3> blocks;
  };
  void join_block();
  std::string threads_of(const Group& group) const;

  bool name_blocks_;
  device::Dim3 block_{0, 0, 0};
  std::vector<Group> own_;  ///< of the block at hand
  std::vector<Group> all_;
};

}  // namespace warpbook::vgpu
