// mistake-of: blocks-rounded-down
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::kWarpSize;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kRowsPerBlock = 8;  // 256 threads

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

template <int kHeld>
__device__ void load_row(const float* __restrict__ logits, int cols, int lane, float (&held)[kHeld]) {
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = lane + i * kWarpSize;
    held[i] = col < cols ? logits[col] : -INFINITY;
  }
}

template <int kHeld>
__global__ void __launch_bounds__(kRowsPerBlock* kWarpSize) softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int rows,
                                                                           int cols) {
  const int lane = threadIdx.x % kWarpSize;
  const int row = blockIdx.x * kRowsPerBlock + threadIdx.x / kWarpSize;
  if (row >= rows) return;
  const float* logits = x + static_cast<size_t>(row) * cols;
  float* probabilities = y + static_cast<size_t>(row) * cols;

  float held[kHeld];
  load_row(logits, cols, lane, held);

  float largest = Max::identity();
#pragma unroll
  for (int i = 0; i < kHeld; ++i) largest = fmaxf(largest, held[i]);
  const float row_max = warp_reduce<Max>(largest);
  WATCH(row_max);

  float weights = Sum::identity();
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    held[i] = weight(held[i], row_max);
    weights += held[i];
  }
  const float total = warp_reduce<Sum>(weights);
  WATCH(total);

#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = lane + i * kWarpSize;
    if (col < cols) probabilities[col] = total == 0.0f ? 0.0f : held[i] / total;
  }
}

template <int kHeld>
cudaError_t launch(const float* x, float* y, int rows, int cols) {
  const int blocks = rows / kRowsPerBlock;
  softmax_kernel<kHeld><<<blocks, kRowsPerBlock * kWarpSize>>>(x, y, rows, cols);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols <= 4 * kWarpSize) return launch<4>(x, y, rows, cols);
  if (cols <= 8 * kWarpSize) return launch<8>(x, y, rows, cols);
  if (cols <= 32 * kWarpSize) return launch<32>(x, y, rows, cols);
  return cudaErrorInvalidValue;
}
