// Cooperative groups: tiles, tile reductions, coalesced threads, a grid barrier.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void grouped(const float* x, float* y, int n) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  float v = block.thread_rank() < n ? x[block.thread_rank()] : 0.f;
  float sum = cg::reduce(tile, v, cg::plus<float>());
  int most = cg::reduce(tile, static_cast<int>(v), cg::greater<int>());
  if (v > 0.f) {
    auto active = cg::coalesced_threads();
    if (active.thread_rank() == 0) atomicAdd(y, static_cast<float>(active.size()));
  }
  cg::this_grid().sync();
  y[1 + block.thread_rank()] = sum + most;
}
