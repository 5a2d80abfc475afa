#include "judge/device/occupancy.hpp"

#include "judge/tests/catch.hpp"

namespace warpbook::device {

TEST_CASE("what limits the blocks of a multiprocessor, compute capability 8.0") {
  const Properties p;
  const auto is = [&](int threads, int registers, std::uint64_t shared, int blocks, OccupancyLimit limit) {
    INFO(threads << " threads, " << registers << " registers, " << shared << " bytes");
    const Occupancy o = occupancy_of(threads, registers, shared, p);
    CHECK(o.blocks == blocks);
    CHECK(o.limit == limit);
    CHECK(o.warps == blocks * ((threads + 31) / 32));
    CHECK(o.warps_of == 64);
  };
  is(256, 32, 0, 8, OccupancyLimit::kThreads);          // 65,536 / (32 * 256) = 8 as well: threads are told first
  is(256, 33, 0, 6, OccupancyLimit::kRegisters);        // 40 registers a thread are allocated: 51 warps, of which 48 in four equal parts
  is(1024, 64, 0, 1, OccupancyLimit::kRegisters);       // 32 warps
  is(1024, 65, 0, 0, OccupancyLimit::kRegisters);       // does not fit: 28 warps
  is(32, 16, 0, 32, OccupancyLimit::kBlocks);           // half the warps stay empty
  is(96, 16, 0, 21, OccupancyLimit::kThreads);          // 64 / 3
  is(100, 16, 0, 16, OccupancyLimit::kThreads);         // a stump counts as a warp
  is(128, 16, 48 * 1024, 3, OccupancyLimit::kShared);   // 164 KB / 49 KB
  is(128, 16, 163 * 1024, 1, OccupancyLimit::kShared);  // the largest block
  is(128, 16, 1, 16, OccupancyLimit::kThreads);         // 1,152 bytes would allow 145
  CHECK(occupancy_of(128, 16, 48 * 1024, p).share() == Approx(12.0 / 64));
}

TEST_CASE("a block that takes no shared memory at all, of a device that keeps none for itself") {
  Properties p;
  p.reserved_shared_per_block = 0;
  p.max_threads_per_multiprocessor = 1024;
  p.max_blocks_per_multiprocessor = 16;
  CHECK(occupancy_of(32, 16, 0, p).blocks == 16);
  CHECK(occupancy_of(32, 16, 0, p).limit == OccupancyLimit::kBlocks);
  CHECK(occupancy_of(32, 16, 32 * 1024, p).limit == OccupancyLimit::kShared);
}

}  // namespace warpbook::device
