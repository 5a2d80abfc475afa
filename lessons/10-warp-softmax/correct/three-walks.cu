// verdict: AC
// medal: lost
// mistake: the row is not kept: it is read three times where once will do
// Softmax with one warp a row, in three walks: no registers are needed for the row, and x is read three times.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::kWarpSize;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kRowsPerBlock = 4;

/// What one logit weighs before the division. Masked columns weigh 0, also where the whole row is masked and row_max is -inf.
__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

/// Warp w of block b turns row 4 b + w into probabilities, in three walks.
__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], dense
                               float* __restrict__ y,        // [rows, cols], dense
                               int rows, int cols) {
  const int lane = threadIdx.x % kWarpSize;
  const int row = blockIdx.x * kRowsPerBlock + threadIdx.x / kWarpSize;
  if (row >= rows) return;
  const float* logits = x + static_cast<size_t>(row) * cols;
  float* probabilities = y + static_cast<size_t>(row) * cols;

  float largest = Max::identity();
  for (int col = lane; col < cols; col += kWarpSize) largest = fmaxf(largest, logits[col]);
  const float row_max = warp_reduce<Max>(largest);
  float weights = Sum::identity();
  for (int col = lane; col < cols; col += kWarpSize) weights += weight(logits[col], row_max);
  const float total = warp_reduce<Sum>(weights);
  for (int col = lane; col < cols; col += kWarpSize) {
    probabilities[col] = total == 0.0f ? 0.0f : weight(logits[col], row_max) / total;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  const int blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  softmax_kernel<<<blocks, kRowsPerBlock * kWarpSize>>>(x, y, rows, cols);
  return cudaGetLastError();
}
