// verdict: AC
// Sum and maximum of every row, one warp a row, by a tree in shared memory: how it was done before there were shuffles.
//
// 128 bytes and six barriers of the warp where the butterfly needs none.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/watch.cuh"

namespace {

constexpr int kWarpSize = 32;

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
/// Halves the number of live values until one is left: lane l folds slot l + live / 2 onto its own slot.
template <class Op>
__device__ float warp_reduce(float value, float* slots) {  // slots: [kWarpSize], shared memory
  const int lane = threadIdx.x;
  slots[lane] = value;
  __syncwarp();  // lanes of a warp need not run in step: what one writes and another reads wants an order
  for (int live = kWarpSize; live > 1; live /= 2) {
    if (lane < live / 2) slots[lane] = Op::combine(slots[lane], slots[lane + live / 2]);
    __syncwarp();
  }
  value = slots[0];
  __syncwarp();  // all have read: the next call may overwrite
  return value;
}
// endregion warp_reduce

// region kernel
/// Block r is one warp and reduces row r. Lane l takes columns l, l + 32, l + 64, ...: neighbours read neighbours.
__global__ void row_sum_max_kernel(const float* __restrict__ x,  // [rows, cols], dense
                                   float* __restrict__ sum,      // [rows]
                                   float* __restrict__ max,      // [rows]
                                   int cols) {
  __shared__ float slots[kWarpSize];
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

  const float total = warp_reduce<Sum>(my_sum, slots);
  const float largest = warp_reduce<Max>(my_max, slots);

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
