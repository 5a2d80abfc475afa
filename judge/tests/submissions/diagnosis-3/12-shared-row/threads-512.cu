// mistake-of: asks-above-48
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 512;
constexpr size_t kStaticBytes = kMaxWarps * sizeof(float);
constexpr size_t kWithoutAsking = 48 * 1024;

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

/// Block r turns row r into probabilities; the launch gives it cols floats of dynamic shared memory.
__global__ void softmax_in_shared(const float* __restrict__ x, float* __restrict__ y, int cols) {
  extern __shared__ float held[];  // [cols]
  __shared__ float partials[kMaxWarps];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  float* probabilities = y + static_cast<size_t>(blockIdx.x) * cols;

  float largest = Max::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    held[col] = logits[col];
    largest = fmaxf(largest, held[col]);
  }
  WATCH(largest);
  const float row_max = block_reduce<Max>(largest, partials);
  WATCH(row_max);

  float weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    held[col] = weight(held[col], row_max);
    weights += held[col];
  }
  WATCH(weights);
  const float total = block_reduce<Sum>(weights, partials);
  WATCH(total);

  for (int col = threadIdx.x; col < cols; col += kThreads) probabilities[col] = total == 0.0f ? 0.0f : held[col] / total;
}

/// The same for a row of any length.
__global__ void softmax_in_two_walks(const float* __restrict__ x, float* __restrict__ y, int cols) {
  __shared__ float partials[kMaxWarps];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  float* probabilities = y + static_cast<size_t>(blockIdx.x) * cols;

  float largest = Max::identity();
  float weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float logit = logits[col];
    if (logit == -INFINITY) continue;
    const float larger = fmaxf(largest, logit);
    weights = weights * expf(largest - larger) + expf(logit - larger);
    largest = larger;
  }
  const float row_max = block_reduce<Max>(largest, partials);
  const float moved = largest == -INFINITY ? weights : weights * expf(largest - row_max);
  const float total = block_reduce<Sum>(moved, partials);

  for (int col = threadIdx.x; col < cols; col += kThreads) {
    probabilities[col] = total == 0.0f ? 0.0f : weight(logits[col], row_max) / total;
  }
}

}  // namespace

/// rows, cols >= 1. Returns the error of whatever failed.
cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  int device = 0;
  int limit = 0;
  WARPBOOK_TRY(cudaGetDevice(&device));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));

  const size_t bytes = sizeof(float) * static_cast<size_t>(cols);
  const bool fits = bytes + kStaticBytes <= static_cast<size_t>(limit);
  if (!fits) {
    softmax_in_two_walks<<<rows, kThreads>>>(x, y, cols);
    return cudaGetLastError();
  }
  if (bytes > kWithoutAsking) {
    WARPBOOK_TRY(cudaFuncSetAttribute(softmax_in_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  }
  softmax_in_shared<<<rows, kThreads, bytes>>>(x, y, cols);
  return cudaGetLastError();
}
