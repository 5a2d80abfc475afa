// verdict: AC
// Softmax of rows of up to 1024 columns, one warp a row; a lane holds pairs of neighbouring columns.
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

/// Warp w of block b turns row 4 b + w into probabilities; slot i of lane l is for columns 2 l + 64 i and the one after it.
template <int kPairs>
__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], dense
                               float* __restrict__ y,        // [rows, cols], dense
                               int rows, int cols) {
  const int lane = threadIdx.x % kWarpSize;
  const int row = blockIdx.x * kRowsPerBlock + threadIdx.x / kWarpSize;
  if (row >= rows) return;
  const float* logits = x + static_cast<size_t>(row) * cols;
  float* probabilities = y + static_cast<size_t>(row) * cols;

  float2 held[kPairs];
  float largest = Max::identity();
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    const int col = 2 * lane + i * 2 * kWarpSize;
    held[i].x = col < cols ? logits[col] : -INFINITY;
    held[i].y = col + 1 < cols ? logits[col + 1] : -INFINITY;
    largest = fmaxf(largest, fmaxf(held[i].x, held[i].y));
  }
  const float row_max = warp_reduce<Max>(largest);

  float weights = Sum::identity();
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    held[i].x = weight(held[i].x, row_max);
    held[i].y = weight(held[i].y, row_max);
    weights += held[i].x + held[i].y;
  }
  const float total = warp_reduce<Sum>(weights);
  const float inverse = total == 0.0f ? 0.0f : 1.0f / total;

#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    const int col = 2 * lane + i * 2 * kWarpSize;
    if (col < cols) probabilities[col] = held[i].x * inverse;
    if (col + 1 < cols) probabilities[col + 1] = held[i].y * inverse;
  }
}

template <int kPairs>
cudaError_t launch(const float* x, float* y, int rows, int cols) {
  const int blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  softmax_kernel<kPairs><<<blocks, kRowsPerBlock * kWarpSize>>>(x, y, rows, cols);
  return cudaGetLastError();
}

}  // namespace

// region launch
/// rows >= 1, 1 <= cols <= 1024. The number of slots must be known when the kernel is compiled; take the fewest that hold the row.
cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols <= 4 * kWarpSize) return launch<2>(x, y, rows, cols);
  if (cols <= 8 * kWarpSize) return launch<4>(x, y, rows, cols);
  if (cols <= 32 * kWarpSize) return launch<16>(x, y, rows, cols);
  return cudaErrorInvalidValue;
}
// endregion launch
