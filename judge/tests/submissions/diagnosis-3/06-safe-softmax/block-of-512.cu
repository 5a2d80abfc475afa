// mistake-of: max-of-one-warp
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kThreads = 512;

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

__global__ void softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int cols) {
  __shared__ float partials[kMaxWarps];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  float* probabilities = y + static_cast<size_t>(blockIdx.x) * cols;

  float largest = Max::identity();
  for (int col = threadIdx.x; col < cols; col += blockDim.x) largest = fmaxf(largest, logits[col]);
  const float row_max = warp_reduce<Max>(largest);
  WATCH(row_max);

  float weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += blockDim.x) weights += weight(logits[col], row_max);
  const float total = block_reduce<Sum>(weights, partials);
  WATCH(total);

  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    probabilities[col] = total == 0.0f ? 0.0f : weight(logits[col], row_max) / total;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  softmax_kernel<<<rows, kThreads>>>(x, y, cols);
  return cudaGetLastError();
}
