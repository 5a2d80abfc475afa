// mistake-of: drops-the-last-round
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/watch.cuh"

namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

struct Sum {
  static __device__ float identity() { return 0.0f; }
  static __device__ float combine(float a, float b) { return a + b; }
};

struct Max {
  static __device__ float identity() { return -INFINITY; }
  static __device__ float combine(float a, float b) { return fmaxf(a, b); }
};

template <class Op>
__device__ float warp_reduce(float value) {
  int offset = 1;
  while (offset < kWarpSize) {
    value = Op::combine(value, __shfl_xor_sync(kAllLanes, value, offset));
    offset *= 2;
  }
  WATCH(value);
  return value;
}

// Walks the row from its end to its start, a round of 32 columns at a time.
__global__ void row_sum_max_kernel(const float* __restrict__ x, float* __restrict__ sum, float* __restrict__ max, int cols) {
  const int lane = threadIdx.x;
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;

  float my_sum = Sum::identity();
  float my_max = Max::identity();
  int rounds = cols / kWarpSize;
  while (rounds-- > 0) {
    const float value = row[rounds * kWarpSize + lane];
    my_sum = Sum::combine(my_sum, value);
    my_max = Max::combine(my_max, value);
  }

  const float total = warp_reduce<Sum>(my_sum);
  const float largest = warp_reduce<Max>(my_max);
  if (lane == 0) sum[blockIdx.x] = total;
  if (lane == kWarpSize - 1) max[blockIdx.x] = largest;
}

}  // namespace

cudaError_t launch_row_sum_max(const float* x, float* sum, float* max, int rows, int cols) {
  row_sum_max_kernel<<<rows, kWarpSize>>>(x, sum, max, cols);
  return cudaGetLastError();
}
