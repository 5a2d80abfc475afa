// mistake-of: merges-only-maxima
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/check.cuh"

namespace {

constexpr int kThreads = 128;
constexpr int kChunk = 1024;

struct Part {
  float max, sum;
};

__device__ float seen_from(Part p, float max) {
  if (p.max == -INFINITY) return p.sum;
  return p.sum * expf(p.max - max);
}

// A tree over the threads of the block.
__global__ void chunk_parts(const float* __restrict__ x, Part* __restrict__ parts, int cols) {
  __shared__ Part tree[kThreads];
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  const int end = min(cols, static_cast<int>(blockIdx.y + 1) * kChunk);

  Part p = {-INFINITY, 0.0f};
  for (int c = blockIdx.y * kChunk + threadIdx.x; c < end; c += kThreads) {
    const float v = row[c];
    if (v == -INFINITY) continue;
    const float m = fmaxf(p.max, v);
    p = {m, seen_from(p, m) + expf(v - m)};
  }
  tree[threadIdx.x] = p;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const Part a = tree[threadIdx.x], b = tree[threadIdx.x + half];
      const float m = fmaxf(a.max, b.max);
      tree[threadIdx.x] = {m, seen_from(a, m) + seen_from(b, m)};
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) parts[static_cast<size_t>(blockIdx.x) * gridDim.y + blockIdx.y] = tree[0];
}

// Thread 0 goes through the parts of the row and tells the others.
__global__ void write_chunk(const float* __restrict__ x, const Part* __restrict__ parts, float* __restrict__ y, int cols) {
  __shared__ Part row;
  const size_t first = static_cast<size_t>(blockIdx.x) * cols;
  const int chunks = gridDim.y;
  if (threadIdx.x == 0) {
    const Part* list = parts + static_cast<size_t>(blockIdx.x) * chunks;
    float m = -INFINITY;
    for (int i = 0; i < chunks; ++i) m = fmaxf(m, list[i].max);
    float d = 0.0f;
    for (int i = 0; i < chunks; ++i) d += list[i].sum;
    row = {m, d};
  }
  __syncthreads();

  const int end = min(cols, static_cast<int>(blockIdx.y + 1) * kChunk);
  for (int c = blockIdx.y * kChunk + threadIdx.x; c < end; c += kThreads) {
    const float v = x[first + c];
    const float w = v == -INFINITY ? 0.0f : expf(v - row.max);
    y[first + c] = row.sum == 0.0f ? 0.0f : w / row.sum;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  const int chunks = (cols - 1) / kChunk + 1;
  Part* parts = nullptr;
  WARPBOOK_TRY(cudaMallocAsync(&parts, static_cast<size_t>(rows) * chunks * sizeof(Part), 0));
  chunk_parts<<<dim3(rows, chunks), kThreads>>>(x, parts, cols);
  cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) {
    write_chunk<<<dim3(rows, chunks), kThreads>>>(x, parts, y, cols);
    status = cudaGetLastError();
  }
  const cudaError_t freed = cudaFreeAsync(parts, 0);
  return status != cudaSuccess ? status : freed;
}
