// verdict: AC
// Softmax with the row in 48 KB of dynamic shared memory, which needs no permission; longer rows go through memory twice,
// with the online maximum and sum. One kernel, two instances.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

constexpr int kStagedCols = 48 * 1024 / 4 - kMaxWarps;

template <bool kStaged>
__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], row stride x_stride
                               float* __restrict__ y,        // [rows, cols], row stride y_stride
                               int cols, long long x_stride, long long y_stride) {
  extern __shared__ float shared[];
  float* partials = shared;            // [kMaxWarps]
  float* staged = shared + kMaxWarps;  // [cols] where kStaged
  const float* logits = x + blockIdx.x * x_stride;
  float* probabilities = y + blockIdx.x * y_stride;

  float max = -INFINITY;
  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float logit = logits[col];
    if (kStaged) staged[col] = logit;
    const float larger = fmaxf(max, logit);
    if (larger > max && max != -INFINITY) sum *= expf(max - larger);
    sum += weight(logit, larger);
    max = larger;
  }
  const float row_max = block_reduce<Max>(max, partials);
  const float total = block_reduce<Sum>(max == -INFINITY ? sum : sum * expf(max - row_max), partials);
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float logit = kStaged ? staged[col] : logits[col];
    probabilities[col] = total == 0.0f ? 0.0f : weight(logit, row_max) / total;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  if (cols <= kStagedCols) {
    softmax_kernel<true><<<rows, kThreads, (kMaxWarps + cols) * sizeof(float)>>>(x, y, cols, x_stride, y_stride);
  } else {
    softmax_kernel<false><<<rows, kThreads, kMaxWarps * sizeof(float)>>>(x, y, cols, x_stride, y_stride);
  }
  return cudaGetLastError();
}
