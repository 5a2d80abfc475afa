// verdict: AC
// Softmax in two walks with the merge split in two: first the maximum of the block, then the sum of what each thread's sum is as seen
// from it. No pair travels, so block_reduce will do, at the price of a barrier more. 128 threads a row, and a sum is moved only when the
// maximum rises, which on a random row happens a few times.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 128;

__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], dense
                               float* __restrict__ y,        // [rows, cols], dense
                               int cols) {
  __shared__ float partials[kMaxWarps];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  float* probabilities = y + static_cast<size_t>(blockIdx.x) * cols;

  float max = Max::identity();
  float sum = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float logit = logits[col];
    if (logit > max) {
      sum *= max == -INFINITY ? 1.0f : expf(max - logit);  // before the first logit there is nothing to move, NaN apart
      max = logit;
    }
    if (logit != -INFINITY) sum += expf(logit - max);
  }
  const float row_max = block_reduce<Max>(max, partials);
  const float moved = max == -INFINITY ? sum : sum * expf(max - row_max);
  const float row_sum = block_reduce<Sum>(moved, partials);
  const float inverse = row_sum == 0.0f ? 0.0f : 1.0f / row_sum;

  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float logit = logits[col];
    probabilities[col] = logit == -INFINITY ? 0.0f : expf(logit - row_max) * inverse;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  softmax_kernel<<<rows, kThreads>>>(x, y, cols);
  return cudaGetLastError();
}
