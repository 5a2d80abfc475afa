// verdict: AC
// medal: lost
// mistake: the maximum has a walk of its own: x is read three times where two will do
// Softmax as in lesson 06: the maximum first, then the sum, then the output. Right, and one read of the row more than this lesson needs.
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

__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], dense
                               float* __restrict__ y,        // [rows, cols], dense
                               int cols) {
  __shared__ float partials[kMaxWarps];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  float* probabilities = y + static_cast<size_t>(blockIdx.x) * cols;

  float largest = Max::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) largest = fmaxf(largest, logits[col]);
  const float row_max = block_reduce<Max>(largest, partials);
  float weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) weights += weight(logits[col], row_max);
  const float total = block_reduce<Sum>(weights, partials);
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    probabilities[col] = total == 0.0f ? 0.0f : weight(logits[col], row_max) / total;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  softmax_kernel<<<rows, kThreads>>>(x, y, cols);
  return cudaGetLastError();
}
