// verdict: AC
// medal: lost
// RMSNorm for rows of any size: every element is divided by the largest |x| of its row before it is squared, so no square overflows.
// eps is divided by the square of it as well. That takes a walk more: x is read three times.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

__global__ void rmsnorm_kernel(const float* __restrict__ x,       // [rows, cols], dense
                               const float* __restrict__ weight,  // [cols]
                               float* __restrict__ y,             // [rows, cols], dense
                               int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;

  float mine = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) mine = fmaxf(mine, fabsf(x[offset + col]));
  const float largest = block_reduce<Max>(mine, partials);
  const float unit = fmaxf(largest, 1e-6f);  // a row of zeros is divided by this
  const float inverse = 1.0f / unit;

  mine = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float small = x[offset + col] * inverse;
    mine += small * small;
  }
  const float scale = inverse * rsqrtf(block_reduce<Sum>(mine, partials) / cols + eps * inverse * inverse);
  for (int col = threadIdx.x; col < cols; col += kThreads) y[offset + col] = x[offset + col] * scale * weight[col];
}

}  // namespace

cudaError_t launch_rmsnorm(const float* x, const float* weight, float* y, int rows, int cols, float eps) {
  rmsnorm_kernel<<<rows, kThreads>>>(x, weight, y, cols, eps);
  return cudaGetLastError();
}
