// mistake-of: old-maximum-overwritten
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

__global__ void softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int cols) {
  __shared__ float partials[kMaxWarps];
  const size_t base = static_cast<size_t>(blockIdx.x) * cols;

  // each thread owns a stretch of neighbouring columns
  const int share = (cols + kThreads - 1) / kThreads;
  const int from = min(cols, static_cast<int>(threadIdx.x) * share);
  const int to = min(cols, from + share);

  float m = -INFINITY;
  float s = 0.0f;
  int i = from;
  while (i < to) {
    const float v = x[base + i];
    ++i;
    if (v == -INFINITY) continue;
    const float top = fmaxf(m, v);
    m = top;
    s = s * expf(m - top) + expf(v - top);
  }

  // merge: the maximum first, then the sums as seen from it
  const float row_max = block_reduce<Max>(m, partials);
  if (m != -INFINITY) s *= expf(m - row_max);
  const float row_sum = block_reduce<Sum>(s, partials);

  i = from;
  while (i < to) {
    const float v = x[base + i];
    y[base + i] = v == -INFINITY && row_sum == row_sum ? 0.0f : expf(v - row_max) / row_sum;
    ++i;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  softmax_kernel<<<rows, kThreads>>>(x, y, cols);
  return cudaGetLastError();
}
