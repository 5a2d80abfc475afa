// verdict: AC
// Softmax of any row by one block in two walks: maximum and sum online, then the division. No limit on the length, nothing
// staged; long rows keep one multiprocessor busy and the others wait.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 512;

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], row stride x_stride
                               float* __restrict__ y,        // [rows, cols], row stride y_stride
                               int cols, long long x_stride, long long y_stride) {
  __shared__ float partials[kMaxWarps];
  const float* logits = x + blockIdx.x * x_stride;
  float* probabilities = y + blockIdx.x * y_stride;

  float max = -INFINITY;
  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float logit = logits[col];
    if (logit > max) {
      sum = max == -INFINITY ? sum : sum * expf(max - logit);
      max = logit;
    }
    sum += weight(logit, max);
  }
  const float row_max = block_reduce<Max>(max, partials);
  const float total = block_reduce<Sum>(max == -INFINITY ? sum : sum * expf(max - row_max), partials);
  const float inverse = total == 0.0f ? 0.0f : 1.0f / total;
  for (int col = threadIdx.x; col < cols; col += kThreads) probabilities[col] = weight(logits[col], row_max) * inverse;
}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  softmax_kernel<<<rows, kThreads>>>(x, y, cols, x_stride, y_stride);
  return cudaGetLastError();
}
