// CUB: running sums along a row, four elements a thread, with striped loads turned into blocked ones through shared memory.
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

// in, out: [blocks, 512]; 128 threads.
extern "C" __global__ void cub_block_scan(const int* in, int* out, int* totals) {
  using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<int, 128, cub::BLOCK_SCAN_WARP_SCANS>;
  using Raking = cub::BlockScan<int, 128, cub::BLOCK_SCAN_RAKING_MEMOIZE>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
    typename Raking::TempStorage raking;
  } storage;
  int items[4], total, total_again;
  Load(storage.load).Load(in + blockIdx.x * 512, items);
  __syncthreads();
  Scan(storage.scan).InclusiveSum(items, items, total);
  __syncthreads();
  int one = 1;
  Raking(storage.raking).ExclusiveSum(one, one, total_again);
  __syncthreads();
  Store(storage.store).Store(out + blockIdx.x * 512, items);
  if (threadIdx.x == 127) {
    totals[2 * blockIdx.x] = total;
    totals[2 * blockIdx.x + 1] = one * 1000 + total_again;
  }
}
