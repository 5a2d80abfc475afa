// mistake-of: chunks-rounded-down
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"

namespace {

using namespace warpbook::kernel;

constexpr int kLaneThreads = 128;
constexpr int kBlockThreads = 512;
constexpr int kWarpCols = 1024;
constexpr int kWorthSplitting = 16384;
constexpr int kFew = 16;
constexpr int kMostChunks = 32;

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

template <int kLanes, int kHeld>
__global__ void softmax_by_lanes(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  const int row = (blockIdx.x * kLaneThreads + threadIdx.x) / kLanes;
  const int lane = threadIdx.x % kLanes;
  const int width = row < rows ? cols : 0;  // a group without a row has no columns
  const size_t first = static_cast<size_t>(row) * cols;
  float held[kHeld];
  float top = -INFINITY;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    held[i] = lane + i * kLanes < width ? x[first + lane + i * kLanes] : -INFINITY;
    top = fmaxf(top, held[i]);
  }
#pragma unroll
  for (int at = 1; at < kLanes; at *= 2) top = fmaxf(top, __shfl_xor_sync(kAllLanes, top, at));
  float total = 0.0f;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) total += held[i] = weight(held[i], top);
#pragma unroll
  for (int at = 1; at < kLanes; at *= 2) total += __shfl_xor_sync(kAllLanes, total, at);
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    if (lane + i * kLanes < width) y[first + lane + i * kLanes] = total == 0.0f ? 0.0f : held[i] / total;
  }
}

template <int kLanes, int kHeld>
cudaError_t launch_by_lanes(const float* x, float* y, int rows, int cols) {
  constexpr int kRows = kLaneThreads / kLanes;
  softmax_by_lanes<kLanes, kHeld><<<(rows - 1) / kRows + 1, kLaneThreads>>>(x, y, rows, cols);
  return cudaGetLastError();
}

// The row in dynamic shared memory: [kMaxWarps + cols] floats. Two columns of a thread in every turn.
__global__ void softmax_by_block(const float* __restrict__ x, float* __restrict__ y, int cols) {
  extern __shared__ float shared[];
  float* held = shared + kMaxWarps;
  const size_t first = static_cast<size_t>(blockIdx.x) * cols;
  const int step = blockDim.x;

  float top = -INFINITY;
  int col = threadIdx.x;
  while (col < cols) {
    held[col] = x[first + col];
    top = fmaxf(top, held[col]);
    const int next = col + step;
    if (next < cols) {
      held[next] = x[first + next];
      top = fmaxf(top, held[next]);
    }
    col = next + step;
  }
  top = block_reduce<Max>(top, shared);

  float even = 0.0f, odd = 0.0f;
  col = threadIdx.x;
  while (col < cols) {
    even += held[col] = weight(held[col], top);
    if (col + step < cols) odd += held[col + step] = weight(held[col + step], top);
    col += 2 * step;
  }
  const float total = block_reduce<Sum>(even + odd, shared);

  for (col = threadIdx.x; col < cols; col += step) y[first + col] = total == 0.0f ? 0.0f : held[col] / total;
}

size_t shared_bytes_for(int cols) { return (static_cast<size_t>(cols) + kMaxWarps) * sizeof(float); }

cudaError_t launch_by_block(const float* x, float* y, int rows, int cols) {
  const size_t bytes = shared_bytes_for(cols);
  WARPBOOK_TRY(cudaFuncSetAttribute(softmax_by_block, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  softmax_by_block<<<rows, kBlockThreads, bytes>>>(x, y, cols);
  return cudaGetLastError();
}

struct Online {
  float max, sum;
};

__device__ float rescaled(Online seen, float max) { return seen.max == -INFINITY ? seen.sum : seen.sum * expf(seen.max - max); }

__device__ Online block_merge(Online mine, float* partials) {
  const float max = block_reduce<Max>(mine.max, partials);
  return {max, block_reduce<Sum>(rescaled(mine, max), partials)};
}

__device__ Online with(Online seen, float logit) {
  if (logit > seen.max) seen = {logit, rescaled(seen, logit)};
  seen.sum += weight(logit, seen.max);
  return seen;
}

__device__ int chunk_begin(int chunk, int cols, int length) { return min(cols, chunk * length); }

__global__ void softmax_partials(const float* __restrict__ x, float* __restrict__ y, int cols, int length) {
  __shared__ float partials[kMaxWarps];
  const size_t first = static_cast<size_t>(blockIdx.x) * cols;
  const int end = chunk_begin(blockIdx.y + 1, cols, length);
  Online mine = {-INFINITY, 0.0f};
  int col = chunk_begin(blockIdx.y, cols, length) + threadIdx.x;
  while (col < end) {
    mine = with(mine, x[first + col]);
    if (col + kBlockThreads < end) mine = with(mine, x[first + col + kBlockThreads]);
    col += 2 * kBlockThreads;
  }
  const Online all = block_merge(mine, partials);
  if (threadIdx.x >= gridDim.y) return;
  float* head = y + first + chunk_begin(threadIdx.x, cols, length);
  head[2 * blockIdx.y] = all.max;
  head[2 * blockIdx.y + 1] = all.sum;
}

__global__ void softmax_from_partials(const float* __restrict__ x, float* y, int cols, int length) {
  __shared__ float partials[kMaxWarps];
  const size_t first = static_cast<size_t>(blockIdx.x) * cols;
  const int begin = chunk_begin(blockIdx.y, cols, length);
  const int end = chunk_begin(blockIdx.y + 1, cols, length);
  Online mine = {-INFINITY, 0.0f};
  if (threadIdx.x < gridDim.y) mine = {y[first + begin + 2 * threadIdx.x], y[first + begin + 2 * threadIdx.x + 1]};
  const Online all = block_merge(mine, partials);
  int col = begin + threadIdx.x;
  while (col < end) {
    y[first + col] = all.sum == 0.0f ? 0.0f : weight(x[first + col], all.max) / all.sum;
    const int next = col + kBlockThreads;
    if (next < end) y[first + next] = all.sum == 0.0f ? 0.0f : weight(x[first + next], all.max) / all.sum;
    col = next + kBlockThreads;
  }
}

cudaError_t launch_split(const float* x, float* y, int rows, int cols, int multiprocessors) {
  if (cols <= kWarpCols) return cudaErrorInvalidValue;
  int chunks = min(2 * multiprocessors / rows, cols / kWarpCols);
  chunks = max(1, min(chunks, kMostChunks));
  const int length = cols / chunks;
  const dim3 grid(rows, chunks);
  softmax_partials<<<grid, kBlockThreads>>>(x, y, cols, length);
  WARPBOOK_TRY(cudaGetLastError());
  softmax_from_partials<<<grid, kBlockThreads>>>(x, y, cols, length);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  int id = 0, multiprocessors = 0, most_shared = 0;
  WARPBOOK_TRY(cudaGetDevice(&id));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, id));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, id));

  if (cols <= 8) return launch_by_lanes<8, 1>(x, y, rows, cols);
  if (cols <= 32) return launch_by_lanes<8, 4>(x, y, rows, cols);
  if (cols <= 256) return launch_by_lanes<32, 8>(x, y, rows, cols);
  if (cols <= kWarpCols) return launch_by_lanes<32, 32>(x, y, rows, cols);
  const bool few = cols >= kWorthSplitting && rows <= multiprocessors / kFew;
  const bool fits = shared_bytes_for(cols) <= static_cast<size_t>(most_shared);
  if (few || !fits) return launch_split(x, y, rows, cols, multiprocessors);
  return launch_by_block(x, y, rows, cols);
}
