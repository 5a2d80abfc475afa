// verdict: AC
// medal: lost
// Fused, for rows of any length: the sum waits in memory, in residual, and the second walk reads it back. Five passes, and no limit on
// the columns. A thread reads what it has stored itself, so no barrier is needed for it.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

__global__ void fused_kernel(float* hidden,                     // [rows, cols], dense
                             float* residual,                   // [rows, cols], dense
                             const float* __restrict__ weight,  // [cols]
                             int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  float* h = hidden + static_cast<size_t>(blockIdx.x) * cols;
  float* r = residual + static_cast<size_t>(blockIdx.x) * cols;
  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float sum = r[col] + h[col];
    r[col] = sum;
    squares += sum * sum;
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
  for (int col = threadIdx.x; col < cols; col += kThreads) h[col] = r[col] * scale * weight[col];
}

}  // namespace

cudaError_t launch_fused_add_rmsnorm(float* hidden, float* residual, const float* weight, int rows, int cols, float eps) {
  fused_kernel<<<rows, kThreads>>>(hidden, residual, weight, cols, eps);
  return cudaGetLastError();
}
