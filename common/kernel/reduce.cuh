// One value per thread in, one value for all threads out: the reduction that lessons 01 and 02 build and that later ones use.
//
// warp_reduce   five shuffles, no memory. In step k each lane combines its value with that of the lane whose number differs
//               in bit k (a butterfly), so that after five steps every lane holds the result; nobody broadcasts.
// block_reduce  three phases around one barrier, and a second barrier that closes:
//                 1. each warp reduces its own 32 values by warp_reduce
//                 2. publish: lane 0 of each warp writes its result to partials[warp]; barrier
//                 3. collect: *every* warp reads the partial results, one a lane, the identity where there is no warp, and
//                    reduces them by warp_reduce; barrier
//               If one warp alone collected, the result would go through shared memory a second time, at the price of a
//               third barrier. The closing barrier is there for the next call: without it a fast warp publishes its next
//               partial result while a slow one still reads this one.
//
// Shared storage belongs to the caller: kMaxWarps floats, which calls in the same kernel may share one after another.
// Deterministic: the order of the operations depends on the block size alone, and the two partners of a step combine the
// same two values, so all threads hold the same bits and every run gives the same bits. The order is not that of a loop over
// the row: sums differ from a sequential sum in the last places.
// It wins where a block works on a row. A row of 32 or less wants warp_reduce alone: no barrier, no shared memory.
#pragma once
#include <cuda_runtime.h>
#include <math.h>

namespace warpbook::kernel {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;  // a block has at most 1024 threads
constexpr unsigned kAllLanes = 0xffffffffu;

/// Adds; its identity is 0.
struct Sum {
  static __device__ __forceinline__ float identity() { return 0.0f; }
  static __device__ __forceinline__ float combine(float a, float b) { return a + b; }
};

/// The larger of two; its identity is -inf (0 would win over a row of negatives). NaN gives way to a number, as in fmaxf.
struct Max {
  static __device__ __forceinline__ float identity() { return -INFINITY; }
  static __device__ __forceinline__ float combine(float a, float b) { return fmaxf(a, b); }
};

/// The reduction of the 32 values of a warp, in every lane. All 32 lanes must arrive, those without data with Op::identity().
template <class Op>
__device__ __forceinline__ float warp_reduce(float value) {
#pragma unroll
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    value = Op::combine(value, __shfl_xor_sync(kAllLanes, value, offset));
  }
  return value;
}

/// The reduction of the values of a block, in every thread. All threads of the block must arrive, those without data with
/// Op::identity(); blockDim.x is a multiple of 32 up to 1024 and the block is one-dimensional.
template <class Op>
__device__ __forceinline__ float block_reduce(float value,
                                              float* partials) {  // [kMaxWarps], shared memory
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  value = warp_reduce<Op>(value);
  if (lane == 0) partials[warp] = value;
  __syncthreads();  // all partial results are published

  value = lane < warps ? partials[lane] : Op::identity();
  value = warp_reduce<Op>(value);
  __syncthreads();  // all have read: the next call may overwrite
  return value;
}

}  // namespace warpbook::kernel
