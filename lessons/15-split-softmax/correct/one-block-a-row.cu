// verdict: AC
// medal: lost
// mistake: a row stays on one block, however long it is: one multiprocessor works, and the others wait
// Softmax of long rows as in lesson 11: a block walks over its row twice. Right, two reads, no scratch memory, and on one row of 152,064
// logits 131 of the 132 multiprocessors of an H200 have nothing to do.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

__device__ float weight(float logit, float seen_from) { return logit == -INFINITY ? 0.0f : expf(logit - seen_from); }

__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], dense
                               float* __restrict__ y,        // [rows, cols], dense
                               int cols) {
  __shared__ float shared[kMaxWarps];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  float* probabilities = y + static_cast<size_t>(blockIdx.x) * cols;

  float max = -INFINITY, sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float logit = logits[col];
    if (logit > max) {
      sum = sum * weight(max, logit) + weight(logit, logit);  // 1, and NaN for +inf
      max = logit;
    } else {
      sum += weight(logit, max);  // NaN arrives here and stays
    }
  }
  const float row_max = block_reduce<Max>(max, shared);
  const float total = block_reduce<Sum>(sum * weight(max, row_max) + (max == -INFINITY ? sum : 0.0f), shared);
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    probabilities[col] = total == 0.0f ? 0.0f : weight(logits[col], row_max) / total;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  softmax_kernel<<<rows, kThreads>>>(x, y, cols);
  return cudaGetLastError();
}
