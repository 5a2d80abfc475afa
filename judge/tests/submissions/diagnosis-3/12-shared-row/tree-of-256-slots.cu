// mistake-of: static-forgotten
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/check.cuh"

namespace {

constexpr int kThreads = 256;  // a power of two, for the trees

__device__ float tree_max(float value, float* slots) {
  slots[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) slots[threadIdx.x] = fmaxf(slots[threadIdx.x], slots[threadIdx.x + half]);
    __syncthreads();
  }
  const float result = slots[0];
  __syncthreads();
  return result;
}

__device__ float tree_sum(float value, float* slots) {
  slots[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) slots[threadIdx.x] += slots[threadIdx.x + half];
    __syncthreads();
  }
  const float result = slots[0];
  __syncthreads();
  return result;
}

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

__global__ void row_in_shared(const float* __restrict__ x, float* __restrict__ y, int cols) {
  extern __shared__ float row[];
  __shared__ float slots[kThreads];
  const size_t at = static_cast<size_t>(blockIdx.x) * cols;

  float m = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += kThreads) m = fmaxf(m, row[c] = x[at + c]);
  m = tree_max(m, slots);

  float d = 0.0f;
  for (int c = threadIdx.x; c < cols; c += kThreads) d += row[c] = weight(row[c], m);
  d = tree_sum(d, slots);

  for (int c = threadIdx.x; c < cols; c += kThreads) y[at + c] = d == 0.0f ? 0.0f : row[c] / d;
}

__global__ void row_read_twice(const float* __restrict__ x, float* __restrict__ y, int cols) {
  __shared__ float slots[kThreads];
  const size_t at = static_cast<size_t>(blockIdx.x) * cols;

  float mine = -INFINITY, d = 0.0f;
  for (int c = threadIdx.x; c < cols; c += kThreads) {
    const float v = x[at + c];
    if (v == -INFINITY) continue;
    const float larger = fmaxf(mine, v);
    d = d * expf(mine - larger) + expf(v - larger);
    mine = larger;
  }
  const float m = tree_max(mine, slots);
  d = tree_sum(mine == -INFINITY ? d : d * expf(mine - m), slots);

  for (int c = threadIdx.x; c < cols; c += kThreads) y[at + c] = d == 0.0f ? 0.0f : weight(x[at + c], m) / d;
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  int device = 0, limit = 0;
  WARPBOOK_TRY(cudaGetDevice(&device));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const size_t bytes = cols * sizeof(float);
  const size_t needed = bytes;
  if (needed > static_cast<size_t>(limit)) {
    row_read_twice<<<rows, kThreads>>>(x, y, cols);
    return cudaGetLastError();
  }
  WARPBOOK_TRY(cudaFuncSetAttribute(row_in_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  row_in_shared<<<rows, kThreads, bytes>>>(x, y, cols);
  return cudaGetLastError();
}
