// CUB's block reduction and scan.
#include <cub/cub.cuh>

__global__ void reduce(const float* x, float* y) {
  using Reduce = cub::BlockReduce<float, 128>;
  using Scan = cub::BlockScan<int, 128>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ typename Scan::TempStorage scan_storage;
  float v = x[blockIdx.x * 128 + threadIdx.x];
  float sum = Reduce(storage).Sum(v);
  int rank;
  Scan(scan_storage).ExclusiveSum(v > 0.f, rank);
  y[blockIdx.x * 129 + rank] = v;
  if (threadIdx.x == 0) y[blockIdx.x * 129 + 128] = sum;
}
