// mistake-of: tail-not-launched
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::kWarpSize;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kThreads = 64;
constexpr int kChunkCols = 512;

/// What is known of a part of a row.
struct Online {
  float max;
  float sum;
};

__device__ Online nothing() { return {-INFINITY, 0.0f}; }

__device__ float moved(Online part, float larger_max) { return part.max == -INFINITY ? part.sum : part.sum * expf(part.max - larger_max); }

__device__ Online merge(Online a, Online b) {
  const float larger = fmaxf(a.max, b.max);
  return {larger, moved(a, larger) + moved(b, larger)};
}

__device__ Online warp_merge(Online mine) {
  const float max = warp_reduce<Max>(mine.max);
  return {max, warp_reduce<Sum>(moved(mine, max))};
}

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

/// Block (r, c) finds the pair of chunk c of row r.
__global__ void softmax_partials(const float* __restrict__ x, Online* __restrict__ partials, int cols) {
  __shared__ float shared[kMaxWarps];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  const int first = blockIdx.y * kChunkCols;
  const int end = min(cols, first + kChunkCols);

  Online mine = nothing();
  for (int col = first + threadIdx.x; col < end; col += kThreads) {
    const float logit = logits[col];
    if (logit != -INFINITY) mine = merge(mine, {logit, 1.0f});
  }
  WATCH(mine.max);
  WATCH(mine.sum);
  const float max = block_reduce<Max>(mine.max, shared);
  const float sum = block_reduce<Sum>(moved(mine, max), shared);
  if (threadIdx.x == 0) partials[static_cast<size_t>(blockIdx.x) * gridDim.y + blockIdx.y] = {max, sum};
}

/// The pair of a whole row from those of its chunks.
__device__ Online merge_partials(const Online* partials, int chunks) {
  Online mine = nothing();
  for (int chunk = threadIdx.x % kWarpSize; chunk < chunks; chunk += kWarpSize) mine = merge(mine, partials[chunk]);
  return warp_merge(mine);
}

/// Block (r, c) writes chunk c of row r.
__global__ void softmax_from_partials(const float* __restrict__ x, const Online* __restrict__ partials, float* __restrict__ y, int cols) {
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  float* probabilities = y + static_cast<size_t>(blockIdx.x) * cols;
  const int first = blockIdx.y * kChunkCols;
  const int end = min(cols, first + kChunkCols);

  const Online row = merge_partials(partials + static_cast<size_t>(blockIdx.x) * gridDim.y, gridDim.y);
  WATCH(row.max);
  WATCH(row.sum);
  for (int col = first + threadIdx.x; col < end; col += kThreads) {
    probabilities[col] = row.sum == 0.0f ? 0.0f : weight(logits[col], row.max) / row.sum;
  }
}

}  // namespace

/// rows, cols >= 1.
cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  const int chunks = cols < kChunkCols ? 1 : cols / kChunkCols;
  Online* partials = nullptr;
  WARPBOOK_TRY(cudaMallocAsync(&partials, sizeof(Online) * rows * chunks, 0));

  const dim3 grid(rows, chunks);
  softmax_partials<<<grid, kThreads>>>(x, partials, cols);
  cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) {
    softmax_from_partials<<<grid, kThreads>>>(x, partials, y, cols);
    status = cudaGetLastError();
  }
  const cudaError_t freed = cudaFreeAsync(partials, 0);
  return status != cudaSuccess ? status : freed;
}
