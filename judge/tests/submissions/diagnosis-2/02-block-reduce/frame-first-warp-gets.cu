// mistake-of: zero-for-absent-warps
// Sum and maximum of every row of x, one block a row.
//
// The idea: two levels. Each warp reduces its own values with shuffles, which need no memory. Then the warps meet once in
// shared memory: each publishes one number, one warp collects them, and the total goes back to every thread. Against lesson
// 01 (one warp a row) a row now has up to 1024 threads. Still bad: three barriers for each reduction, during which the
// block's loads stand still.
//
// The block size is the caller's: 1 to 1024 threads, and not always a multiple of 32. The last warp may be a stump.
//
// Run it: ./workbook run 02
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/watch.cuh"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;  // 1024 threads is the largest block

/// Adds. The identity changes nothing: what a thread without data brings.
struct Sum {
  static __device__ float identity() { return 0.0f; }
  static __device__ float combine(float a, float b) { return a + b; }
};

/// The larger of two. Its identity is -inf: 0 would win over a row of negatives. NaN gives way to a number, as in fmaxf.
struct Max {
  static __device__ float identity() { return -INFINITY; }
  static __device__ float combine(float a, float b) { return fmaxf(a, b); }
};

// region warp_reduce
/// Reduces one value per lane of a warp of which only the first `lanes` lanes exist (32, or fewer in the last warp).
/// Lane 0 has the result; the other lanes are left with something in between.
template <class Op>
__device__ float warp_reduce(float value, int lane, int lanes) {
  const unsigned mask = lanes == kWarpSize ? 0xffffffffu : (1u << lanes) - 1;  // only lanes that exist may be named
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    const bool has_partner = lane + offset < lanes;
    const float other = __shfl_sync(mask, value, has_partner ? lane + offset : lane);
    if (has_partner) value = Op::combine(value, other);
  }
  return value;
}
// endregion warp_reduce

// region block_reduce
/// Reduces one value per thread of the block; *every* thread gets the result. All threads of the block must arrive.
/// `partials` is shared memory of the caller, who may hand the same array to the next call.
template <class Op>
__device__ float block_reduce(float value, float* partials) {  // partials: [kMaxWarps]
  const int threads = static_cast<int>(blockDim.x);
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
  const int warps = (threads + kWarpSize - 1) / kWarpSize;       // the stump counts
  const int lanes = min(kWarpSize, threads - warp * kWarpSize);  // lanes of this warp that exist

  value = warp_reduce<Op>(value, lane, lanes);
  // >>> blank publish-and-collect: hand over the warps' results, then give every thread the total, about 10 lines
  if (lane == 0) partials[warp] = value;
  __syncthreads();
  if (warp == 0) {
    float got = 0.0f;
    if (lane < warps) got = partials[lane];
    got = warp_reduce<Op>(got, lane, lanes);
    if (lane == 0) partials[0] = got;
  }
  __syncthreads();
  const float all = partials[0];
  __syncthreads();
  value = all;
  // <<< blank publish-and-collect
  WATCH(value);
  return value;
}
// endregion block_reduce

// region kernel
/// Block r reduces row r. Thread t takes columns t, t + threads, t + 2 threads, ...: neighbours read neighbours.
__global__ void row_sum_max_kernel(const float* __restrict__ x,  // [rows, cols], dense
                                   float* __restrict__ sum,      // [rows]
                                   float* __restrict__ max,      // [rows]
                                   int cols) {
  __shared__ float partials[kMaxWarps];
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;

  float my_sum = Sum::identity();
  float my_max = Max::identity();
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    const float value = row[col];
    my_sum = Sum::combine(my_sum, value);
    my_max = Max::combine(my_max, value);
    WATCH(my_sum);
    WATCH(my_max);
  }

  const float total = block_reduce<Sum>(my_sum, partials);
  const float largest = block_reduce<Max>(my_max, partials);  // the same storage, a moment later

  // The last thread writes, on purpose: the contract is that every thread has the results, not only thread 0.
  if (threadIdx.x == blockDim.x - 1) {
    sum[blockIdx.x] = total;
    max[blockIdx.x] = largest;
  }
}
// endregion kernel

}  // namespace

/// One block of `threads` threads a row; rows, cols >= 1, 1 <= threads <= 1024.
cudaError_t launch_row_sum_max(const float* x, float* sum, float* max, int rows, int cols, int threads) {
  row_sum_max_kernel<<<rows, threads>>>(x, sum, max, cols);
  return cudaGetLastError();
}
