// Cooperative groups, static tiles: a block of any size is cut into tiles of 32, 16 and 4 lanes that reduce and scan on their own.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

// sums[t]: sum over the tile of 16 that thread t is in; scans[t]: exclusive sum inside its tile of 4; largest[t]: maximum of its warp.
extern "C" __global__ void cg_tiles(const int* in, int* sums, int* scans, int* largest) {
  cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto half = cg::tiled_partition<16>(warp);
  const auto quad = cg::tiled_partition<4>(block);
  const int i = blockIdx.x * block.size() + block.thread_rank();
  sums[i] = cg::reduce(half, in[i], cg::plus<int>());
  scans[i] = cg::exclusive_scan(quad, in[i], cg::plus<int>());
  largest[i] = cg::reduce(warp, in[i], cg::greater<int>());
  block.sync();
  // A tile shuffles among its own lanes only.
  const int neighbour = half.shfl_down(in[i], 1);
  if (half.thread_rank() + 1 < half.size()) sums[i] += 1000 * neighbour;
}
