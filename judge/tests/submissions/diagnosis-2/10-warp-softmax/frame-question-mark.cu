// mistake-of: gaps-hold-zero
// Softmax of rows of up to 1024 columns, one warp a row, four rows a block: y = exp(x - m) / sum(exp(x - m)).
//
// The idea: 32 lanes with 32 registers each hold 1024 columns. The row is read once and waits in registers for its maximum and
// its sum; against lesson 06 (a block a row, three walks) two of three reads are gone, and so are shared memory and barriers:
// a warp needs only its shuffles. The registers are a grid of slots that fits no row exactly. Where a slot has no column it
// holds -inf, which changes neither the maximum nor the sum. Still bad: 32 lanes are too few for longer rows (lessons 11 and
// 12), and too many for rows of 8 (lesson 14).
//
// -inf marks a masked column: its output is exactly 0. A row in which every column is masked gives zeros. A row with NaN or
// +inf gives NaN.
//
// Run it: ./workbook run 10
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::kWarpSize;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kRowsPerBlock = 4;

/// What one logit weighs before the division. Masked columns weigh 0, also where the whole row is masked and row_max is -inf.
__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

// region load_row
/// Slot i of lane l is for column l + 32 i: neighbours read neighbours. Every slot gets a value, also where the row has no
/// such column.
template <int kHeld>
__device__ void load_row(const float* __restrict__ logits,  // [cols]
                         int cols, int lane, float (&held)[kHeld]) {
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    // >>> blank load: fill held[i], about 2 lines
    const int col = i * kWarpSize + lane;
    held[i] = col < cols ? logits[col] : 0.0f;
    // <<< blank load
  }
}
// endregion load_row

// region kernel
/// Warp w of block b turns row 4 b + w into probabilities.
template <int kHeld>
__global__ void __launch_bounds__(kRowsPerBlock* kWarpSize) softmax_kernel(const float* __restrict__ x,  // [rows, cols], dense
                                                                           float* __restrict__ y,        // [rows, cols], dense
                                                                           int rows, int cols) {
  const int lane = threadIdx.x % kWarpSize;
  const int row = blockIdx.x * kRowsPerBlock + threadIdx.x / kWarpSize;
  if (row >= rows) return;  // a whole warp leaves: no shuffle misses a lane, and no barrier waits
  const float* logits = x + static_cast<size_t>(row) * cols;
  float* probabilities = y + static_cast<size_t>(row) * cols;

  float held[kHeld];  // indices known to the compiler throughout, or this would be memory instead of registers
  load_row(logits, cols, lane, held);

  float largest = Max::identity();
#pragma unroll
  for (int i = 0; i < kHeld; ++i) largest = fmaxf(largest, held[i]);
  const float row_max = warp_reduce<Max>(largest);
  WATCH(largest);
  WATCH(row_max);

  float weights = Sum::identity();
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    held[i] = weight(held[i], row_max);  // the weight takes the place of the logit
    weights += held[i];
  }
  const float total = warp_reduce<Sum>(weights);
  WATCH(weights);
  WATCH(total);

#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = lane + i * kWarpSize;
    if (col < cols) probabilities[col] = total == 0.0f ? 0.0f : held[i] / total;  // only a wholly masked row has total 0
  }
}
// endregion kernel

template <int kHeld>
cudaError_t launch(const float* x, float* y, int rows, int cols) {
  const int blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  softmax_kernel<kHeld><<<blocks, kRowsPerBlock * kWarpSize>>>(x, y, rows, cols);
  return cudaGetLastError();
}

}  // namespace

// region launch
/// rows >= 1, 1 <= cols <= 1024. The number of slots must be known when the kernel is compiled; take the fewest that hold the row.
cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols <= 4 * kWarpSize) return launch<4>(x, y, rows, cols);
  if (cols <= 8 * kWarpSize) return launch<8>(x, y, rows, cols);
  if (cols <= 32 * kWarpSize) return launch<32>(x, y, rows, cols);
  return cudaErrorInvalidValue;
}
// endregion launch
