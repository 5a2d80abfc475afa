// mistake-of: nan-becomes-zero
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

// Each walk starts at the end of the row.
__global__ void softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int cols) {
  __shared__ float partials[kMaxWarps];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  float* probabilities = y + static_cast<size_t>(blockIdx.x) * cols;
  const int last = cols - 1 - static_cast<int>(threadIdx.x);

  float largest = -INFINITY;
  int col = last;
  while (col >= 0) {
    largest = fmaxf(largest, logits[col]);
    col -= kThreads;
  }
  const float row_max = block_reduce<Max>(largest, partials);

  float weights = 0.0f;
  col = last;
  while (col >= 0) {
    weights += weight(logits[col], row_max);
    col -= kThreads;
  }
  const float total = block_reduce<Sum>(weights, partials);
  WATCH(total);

  col = last;
  while (col >= 0) {
    const float share = weight(logits[col], row_max);
    if (total > 0.0f)
      probabilities[col] = share / total;
    else
      probabilities[col] = 0.0f;
    col -= kThreads;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  softmax_kernel<<<rows, kThreads>>>(x, y, cols);
  return cudaGetLastError();
}
