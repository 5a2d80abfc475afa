// mistake-of: stump-dropped
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/watch.cuh"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;

struct Sum {
  static __device__ float identity() { return 0.0f; }
  static __device__ float combine(float a, float b) { return a + b; }
};

struct Max {
  static __device__ float identity() { return -INFINITY; }
  static __device__ float combine(float a, float b) { return fmaxf(a, b); }
};

template <class Op>
__device__ float warp_reduce(float value, int lane, int lanes) {
  const unsigned mask = lanes == kWarpSize ? 0xffffffffu : (1u << lanes) - 1;
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    const bool has_partner = lane + offset < lanes;
    const float other = __shfl_sync(mask, value, has_partner ? lane + offset : lane);
    if (has_partner) value = Op::combine(value, other);
  }
  return value;
}

template <class Op>
__device__ float block_reduce(float value, float* partials) {
  const int threads = static_cast<int>(blockDim.x);
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
  const int warps = threads / kWarpSize;
  const int lanes = min(kWarpSize, threads - warp * kWarpSize);

  value = warp_reduce<Op>(value, lane, lanes);
  if (lane == 0) partials[warp] = value;
  __syncthreads();
  // Everybody goes through the list of the warps, so nobody has to hand the total on.
  value = Op::identity();
  int w = 0;
  while (w < warps) {
    value = Op::combine(value, partials[w]);
    ++w;
  }
  __syncthreads();
  WATCH(value);
  return value;
}

// Thread t takes one piece of neighbouring columns.
__global__ void row_sum_max_kernel(const float* __restrict__ x, float* __restrict__ sum, float* __restrict__ max, int cols) {
  __shared__ float partials[kMaxWarps];
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;

  const int piece = (cols + blockDim.x - 1) / blockDim.x;
  int col = threadIdx.x * piece;
  const int end = min(cols, col + piece);
  float my_sum = Sum::identity();
  float my_max = Max::identity();
  while (col < end) {
    my_sum = Sum::combine(my_sum, row[col]);
    my_max = Max::combine(my_max, row[col]);
    ++col;
  }

  const float total = block_reduce<Sum>(my_sum, partials);
  const float largest = block_reduce<Max>(my_max, partials);
  if (threadIdx.x == blockDim.x - 1) {
    sum[blockIdx.x] = total;
    max[blockIdx.x] = largest;
  }
}

}  // namespace

cudaError_t launch_row_sum_max(const float* x, float* sum, float* max, int rows, int cols, int threads) {
  row_sum_max_kernel<<<rows, threads>>>(x, sum, max, cols);
  return cudaGetLastError();
}
