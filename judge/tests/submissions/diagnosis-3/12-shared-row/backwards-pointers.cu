// mistake-of: weighed-twice
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

__device__ float weight(float logit, float row_max) {
  if (logit == -INFINITY) return 0.0f;
  return expf(logit - row_max);
}

// all three walks go from the end of the row to its start
__global__ void softmax_in_shared(const float* __restrict__ x, float* __restrict__ y, int cols) {
  extern __shared__ float held[];
  __shared__ float partials[kMaxWarps];
  x += static_cast<size_t>(blockIdx.x) * cols;
  y += static_cast<size_t>(blockIdx.x) * cols;
  const int start = cols - 1 - static_cast<int>(threadIdx.x);

  float top = -INFINITY;
  int i = start;
  while (i >= 0) {
    const float logit = x[i];
    held[i] = logit;
    top = fmaxf(top, logit);
    i -= kThreads;
  }
  top = block_reduce<Max>(top, partials);

  float sum = 0.0f;
  i = start;
  while (i >= 0) {
    const float w = weight(held[i], top);
    held[i] = w;
    sum += w;
    i -= kThreads;
  }
  sum = block_reduce<Sum>(sum, partials);

  i = start;
  while (i >= 0) {
    y[i] = sum == 0.0f ? 0.0f : weight(held[i], top) / sum;
    i -= kThreads;
  }
}

__global__ void softmax_in_two_walks(const float* __restrict__ x, float* __restrict__ y, int cols) {
  __shared__ float partials[kMaxWarps];
  x += static_cast<size_t>(blockIdx.x) * cols;
  y += static_cast<size_t>(blockIdx.x) * cols;
  const int start = cols - 1 - static_cast<int>(threadIdx.x);

  float top = -INFINITY;
  float sum = 0.0f;
  int i = start;
  while (i >= 0) {
    const float logit = x[i];
    if (logit != -INFINITY) {
      const float larger = fmaxf(top, logit);
      sum = sum * expf(top - larger) + expf(logit - larger);
      top = larger;
    }
    i -= kThreads;
  }
  const float row_max = block_reduce<Max>(top, partials);
  if (top != -INFINITY) sum *= expf(top - row_max);
  sum = block_reduce<Sum>(sum, partials);

  i = start;
  while (i >= 0) {
    y[i] = sum == 0.0f ? 0.0f : weight(x[i], row_max) / sum;
    i -= kThreads;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  int device = 0, most = 0;
  WARPBOOK_TRY(cudaGetDevice(&device));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const int bytes = cols * static_cast<int>(sizeof(float));
  const int partials_bytes = kMaxWarps * static_cast<int>(sizeof(float));
  if (bytes <= most - partials_bytes) {
    WARPBOOK_TRY(cudaFuncSetAttribute(softmax_in_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    softmax_in_shared<<<rows, kThreads, bytes>>>(x, y, cols);
  } else {
    softmax_in_two_walks<<<rows, kThreads>>>(x, y, cols);
  }
  return cudaGetLastError();
}
