// mistake-of: log-of-probability
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::kWarpSize;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kWarps = 4;
constexpr int kIgnored = -100;

// A warp a row, and no online softmax: the maximum, then the sum, then the gradient.
__global__ void cross_entropy_warps(const float* __restrict__ logits, const int* __restrict__ targets, float* __restrict__ loss,
                                    float* __restrict__ gradient, int rows, int cols, float scale) {
  const int row = blockIdx.x * kWarps + threadIdx.x / kWarpSize;
  const int lane = threadIdx.x % kWarpSize;
  if (row >= rows) return;  // all 32 lanes
  const float* x = logits + static_cast<size_t>(row) * cols;
  float* g = gradient + static_cast<size_t>(row) * cols;
  const int target = targets[row];

  if (target == kIgnored || target < 0 || target >= cols) {
    const float fill = target == kIgnored ? 0.0f : NAN;
    for (int c = lane; c < cols; c += kWarpSize) g[c] = fill;
    if (lane == 0) loss[row] = fill;
    return;
  }

  float m = -INFINITY;
  for (int c = lane; c < cols; c += kWarpSize) m = fmaxf(m, x[c]);
  m = warp_reduce<Max>(m);
  float d = 0.0f;
  for (int c = lane; c < cols; c += kWarpSize) d += expf(x[c] - m);
  d = warp_reduce<Sum>(d);

  for (int c = lane; c < cols; c += kWarpSize) {
    const float p = expf(x[c] - m) / d;
    g[c] = scale * (p - (c == target ? 1.0f : 0.0f));
    if (c == target) loss[row] = -logf(p);
  }
}

}  // namespace

cudaError_t launch_cross_entropy(const float* logits, const int* targets, float* loss, float* gradient, int rows, int cols, float scale) {
  cross_entropy_warps<<<(rows + kWarps - 1) / kWarps, kWarps * kWarpSize>>>(logits, targets, loss, gradient, rows, cols, scale);
  return cudaGetLastError();
}
