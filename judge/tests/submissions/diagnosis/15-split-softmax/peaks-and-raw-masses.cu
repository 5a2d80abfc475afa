// mistake-of: merges-only-maxima
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

using namespace warpbook::kernel;

#define THREADS 64
#define CHUNK 768

__device__ inline float ex(float a, float m) { return a == -INFINITY ? 0.0f : expf(a - m); }

// maxima first, then sums: chunk maxima in peak, chunk sums in mass, both [rows, chunks]
__global__ void chunk_kernel(const float* __restrict__ x, float* __restrict__ peak, float* __restrict__ mass, int cols, int chunks) {
  __shared__ float scratch[kMaxWarps];
  const int r = blockIdx.x / chunks, k = blockIdx.x % chunks;
  const float* from = x + (size_t)r * cols + k * CHUNK;
  const int n = min(CHUNK, cols - k * CHUNK);
  float m = -INFINITY;
  for (int i = threadIdx.x; i < n; i += THREADS) m = fmaxf(m, from[i]);
  m = block_reduce<Max>(m, scratch);
  float s = 0.0f;
  for (int i = threadIdx.x; i < n; i += THREADS) s += ex(from[i], m);
  s = block_reduce<Sum>(s, scratch);
  if (threadIdx.x == 0) {
    peak[r * chunks + k] = m;
    mass[r * chunks + k] = s;
  }
}

__global__ void divide_kernel(const float* __restrict__ x, const float* __restrict__ peak, const float* __restrict__ mass,
                              float* __restrict__ y, int cols, int chunks) {
  const int r = blockIdx.x / chunks, k = blockIdx.x % chunks;
  const float* p = peak + r * chunks;
  const float* q = mass + r * chunks;
  const int lane = threadIdx.x & 31;
  float m = -INFINITY;
  for (int j = lane; j < chunks; j += 32) m = fmaxf(m, p[j]);
  m = warp_reduce<Max>(m);
  float s = 0.0f;
  for (int j = lane; j < chunks; j += 32) s += q[j];
  s = warp_reduce<Sum>(s);

  const size_t at = (size_t)r * cols + k * CHUNK;
  const int n = min(CHUNK, cols - k * CHUNK);
  for (int i = threadIdx.x; i < n; i += THREADS) y[at + i] = s == 0.0f ? 0.0f : ex(x[at + i], m) / s;
}

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  const int chunks = (cols + CHUNK - 1) / CHUNK;
  float* scratch = nullptr;
  cudaError_t status = cudaMallocAsync(reinterpret_cast<void**>(&scratch), 2 * sizeof(float) * rows * chunks, nullptr);
  if (status != cudaSuccess) return status;
  float* mass = scratch + rows * chunks;
  chunk_kernel<<<rows * chunks, THREADS>>>(x, scratch, mass, cols, chunks);
  status = cudaGetLastError();
  if (status == cudaSuccess) {
    divide_kernel<<<rows * chunks, THREADS>>>(x, scratch, mass, y, cols, chunks);
    status = cudaGetLastError();
  }
  cudaError_t free_status = cudaFreeAsync(scratch, nullptr);
  if (status == cudaSuccess) status = free_status;
  return status;
}
