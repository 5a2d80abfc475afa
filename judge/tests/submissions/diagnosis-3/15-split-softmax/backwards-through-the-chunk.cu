// mistake-of: chunk-ends-early
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"

namespace {

using namespace warpbook::kernel;

constexpr int kThreads = 128;
constexpr int kChunk = 1024;

__global__ void find_pairs(const float* __restrict__ x, float2* __restrict__ pairs, int cols) {
  __shared__ float slots[kMaxWarps];
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  const int begin = blockIdx.y * kChunk;
  const int end = min(begin + kChunk - 1, cols);

  float m = -INFINITY, s = 0.0f;
  int at = end - 1 - static_cast<int>(threadIdx.x);
  while (at >= begin) {
    const float v = row[at];
    at -= kThreads;
    if (v == -INFINITY) continue;
    const float bigger = fmaxf(m, v);
    s = s * expf(m - bigger) + expf(v - bigger);
    m = bigger;
  }
  const float top = block_reduce<Max>(m, slots);
  const float all = block_reduce<Sum>(m == -INFINITY ? s : s * expf(m - top), slots);
  if (threadIdx.x == 0) pairs[static_cast<size_t>(blockIdx.x) * gridDim.y + blockIdx.y] = make_float2(top, all);
}

__device__ float2 row_pair(const float2* pairs, int count) {
  float m = -INFINITY, s = 0.0f;
  int i = count - 1 - static_cast<int>(threadIdx.x % kWarpSize);
  while (i >= 0) {
    const float2 p = pairs[i];
    const float bigger = fmaxf(m, p.x);
    if (bigger == -INFINITY) {
      s += p.y;
    } else {
      s = s * expf(m - bigger) + p.y * expf(p.x - bigger);
      m = bigger;
    }
    i -= kWarpSize;
  }
  const float top = warp_reduce<Max>(m);
  return make_float2(top, warp_reduce<Sum>(m == -INFINITY ? s : s * expf(m - top)));
}

__global__ void write_chunks(const float* __restrict__ x, const float2* __restrict__ pairs, float* __restrict__ y, int cols) {
  const size_t base = static_cast<size_t>(blockIdx.x) * cols;
  const int begin = blockIdx.y * kChunk;
  const int end = min(begin + kChunk, cols);
  const float2 row = row_pair(pairs + static_cast<size_t>(blockIdx.x) * gridDim.y, gridDim.y);

  int at = end - 1 - static_cast<int>(threadIdx.x);
  while (at >= begin) {
    const float v = x[base + at];
    y[base + at] = row.y == 0.0f ? 0.0f : (v == -INFINITY ? 0.0f : expf(v - row.x)) / row.y;
    at -= kThreads;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  const int chunks = (cols + kChunk - 1) / kChunk;
  const dim3 grid(rows, chunks);
  float2* pairs = nullptr;
  WARPBOOK_TRY(cudaMallocAsync(&pairs, sizeof(float2) * rows * chunks, 0));
  find_pairs<<<grid, kThreads>>>(x, pairs, cols);
  cudaError_t result = cudaGetLastError();
  if (result == cudaSuccess) {
    write_chunks<<<grid, kThreads>>>(x, pairs, y, cols);
    result = cudaGetLastError();
  }
  const cudaError_t freed = cudaFreeAsync(pairs, 0);
  return result == cudaSuccess ? freed : result;
}
