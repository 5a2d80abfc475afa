// CUB: reductions and scans of a warp, and of eight lanes that think they are one.
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

// One warp's results are out[0..3] of its row of [warps, 4 + 64].
extern "C" __global__ void cub_warp(const int* in, int* out) {
  using Reduce = cub::WarpReduce<int>;
  using Scan = cub::WarpScan<int>;
  using Eight = cub::WarpScan<int, 8>;
  __shared__ typename Reduce::TempStorage reduce[4];
  __shared__ typename Scan::TempStorage scan[4];
  __shared__ typename Eight::TempStorage eight[16];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int* row = out + (blockIdx.x * 4 + warp) * 68;
  const int x = in[blockIdx.x * 128 + threadIdx.x];
  const int sum = Reduce(reduce[warp]).Sum(x);
  const int part = Reduce(reduce[warp]).Sum(x, 11);
  const int segment = Reduce(reduce[warp]).HeadSegmentedSum(x, lane % 5 == 0);
  int inclusive, exclusive, total;
  Scan(scan[warp]).InclusiveSum(x, inclusive);
  Eight(eight[threadIdx.x / 8]).ExclusiveSum(x, exclusive, total);
  if (lane == 0) {
    row[0] = sum;
    row[1] = part;
    row[2] = segment;
    row[3] = total;
  }
  row[4 + lane] = inclusive;
  row[36 + lane] = exclusive;
}
