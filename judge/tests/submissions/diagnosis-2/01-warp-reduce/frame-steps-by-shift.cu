// mistake-of: stops-at-two
// Sum and maximum of every row of x, one warp a row.
//
// The idea: the 32 lanes of a warp can read each other's registers. In five steps every lane combines its value with that of
// a partner 16, 8, 4, 2 and 1 lanes away; then each of them holds the result. No memory is touched and nobody waits at a
// barrier. Lanes without a column bring the identity: 0 to a sum, -inf to a maximum. Still bad: a long row is walked by 32
// lanes only (lesson 02 puts more warps on it), a short one leaves lanes without work (lesson 14), and a block of a single
// warp fills no multiprocessor (lesson 10).
//
// Run it: ./workbook run 01
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/watch.cuh"

namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kAllLanes = 0xffffffffu;  // one bit a lane: all 32 take part

// region operations
/// Adds. The identity changes nothing: what a lane without data brings.
struct Sum {
  static __device__ float identity() { return 0.0f; }
  static __device__ float combine(float a, float b) { return a + b; }
};

/// The larger of two. Its identity is -inf: 0 would win over a row of negatives. NaN gives way to a number, as in fmaxf.
struct Max {
  static __device__ float identity() { return -INFINITY; }
  static __device__ float combine(float a, float b) { return fmaxf(a, b); }
};
// endregion operations

// region warp_reduce
/// Combines one value per lane; *every* lane gets the result. All 32 lanes must arrive, those without data with
/// Op::identity().
template <class Op>
__device__ float warp_reduce(float value) {
  // >>> blank exchange: five steps, after which every lane holds the result, about 4 lines
  for (int step = 16; step > 1; step >>= 1) {
    const float theirs = __shfl_xor_sync(kAllLanes, value, step);
    value = Op::combine(value, theirs);
  }
  // <<< blank exchange
  WATCH(value);
  return value;
}
// endregion warp_reduce

// region kernel
/// Block r is one warp and reduces row r. Lane l takes columns l, l + 32, l + 64, ...: neighbours read neighbours.
__global__ void row_sum_max_kernel(const float* __restrict__ x,  // [rows, cols], dense
                                   float* __restrict__ sum,      // [rows]
                                   float* __restrict__ max,      // [rows]
                                   int cols) {
  const int lane = threadIdx.x;
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;

  float my_sum = Sum::identity();
  float my_max = Max::identity();
  for (int col = lane; col < cols; col += kWarpSize) {
    const float value = row[col];
    my_sum = Sum::combine(my_sum, value);
    my_max = Max::combine(my_max, value);
  }
  WATCH(my_sum);
  WATCH(my_max);

  const float total = warp_reduce<Sum>(my_sum);
  const float largest = warp_reduce<Max>(my_max);

  // Two different lanes write, on purpose: the contract is that every lane has both results.
  if (lane == 0) sum[blockIdx.x] = total;
  if (lane == kWarpSize - 1) max[blockIdx.x] = largest;
}
// endregion kernel

}  // namespace

// region launch
/// One block of one warp a row; rows, cols >= 1.
cudaError_t launch_row_sum_max(const float* x, float* sum, float* max, int rows, int cols) {
  row_sum_max_kernel<<<rows, kWarpSize>>>(x, sum, max, cols);
  return cudaGetLastError();
}
// endregion launch
