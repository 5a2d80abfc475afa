// mistake-of: shared-without-asking
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using namespace warpbook::kernel;  // warp and block reductions, Max, Sum

constexpr int kLaneThreads = 64;        // of a block in which lanes or warps take rows
constexpr int kBlockThreads = 256;      // of a block that takes a row, or a chunk of one
constexpr int kWarpCols = 1024;         // 32 registers in each of 32 lanes
constexpr int kWorthSplitting = 16384;  // a shorter row is not worth a second launch and a second read
constexpr int kFew = 16;                // rows are few when they keep at most one multiprocessor in 16 busy
constexpr int kMostChunks = 32;

/// What a logit weighs before the division; a masked one weighs 0, also where all are masked and row_max is -inf.
__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }
__device__ float inverse_of(float total) { return total == 0.0f ? 0.0f : 1.0f / total; }

/// kLanes lanes take a row, kHeld columns each. Lanes without a row stay and bring identities (lesson 14).
template <int kLanes, int kHeld>
__global__ void __launch_bounds__(kLaneThreads) softmax_by_lanes(const float* __restrict__ x,  // [rows, cols], dense
                                                                 float* __restrict__ y,        // [rows, cols], dense
                                                                 int rows, int cols) {
  const int row = blockIdx.x * (kLaneThreads / kLanes) + threadIdx.x / kLanes;
  const size_t first = static_cast<size_t>(row) * cols;
  float held[kHeld];
  float row_max = Max::identity();
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x % kLanes + i * kLanes;
    held[i] = row < rows && col < cols ? x[first + col] : -INFINITY;
    row_max = fmaxf(row_max, held[i]);
  }
  for (int at = kLanes / 2; at > 0; at /= 2) row_max = fmaxf(row_max, __shfl_xor_sync(kAllLanes, row_max, at));
  float total = Sum::identity();
#pragma unroll
  for (int i = 0; i < kHeld; ++i) total += held[i] = weight(held[i], row_max);
  for (int at = kLanes / 2; at > 0; at /= 2) total += __shfl_xor_sync(kAllLanes, total, at);
  WATCH(row_max);
  WATCH(total);
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x % kLanes + i * kLanes;
    if (row < rows && col < cols) y[first + col] = held[i] * inverse_of(total);
  }
}

template <int kLanes, int kHeld>
cudaError_t launch_by_lanes(const float* x, float* y, int rows, int cols) {
  softmax_by_lanes<kLanes, kHeld><<<(rows - 1) / (kLaneThreads / kLanes) + 1, kLaneThreads>>>(x, y, rows, cols);
  return cudaGetLastError();
}

/// A block takes a row, which waits in dynamic shared memory behind the partial results: [kMaxWarps + cols] floats.
__global__ void softmax_by_block(const float* __restrict__ x,  // [rows, cols], dense
                                 float* __restrict__ y,        // [rows, cols], dense
                                 int cols) {
  extern __shared__ float shared[];
  float* held = shared + kMaxWarps;
  const size_t first = static_cast<size_t>(blockIdx.x) * cols;
  float largest = Max::identity();
  for (int col = threadIdx.x; col < cols; col += blockDim.x) largest = fmaxf(largest, held[col] = x[first + col]);
  const float row_max = block_reduce<Max>(largest, shared);
  float weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += blockDim.x) weights += held[col] = weight(held[col], row_max);
  const float inverse = inverse_of(block_reduce<Sum>(weights, shared));
  WATCH(inverse);
  for (int col = threadIdx.x; col < cols; col += blockDim.x) y[first + col] = held[col] * inverse;
}

size_t shared_bytes_for(int cols) { return (kMaxWarps + static_cast<size_t>(cols)) * sizeof(float); }

cudaError_t launch_by_block(const float* x, float* y, int rows, int cols) {
  const size_t bytes = shared_bytes_for(cols);
  softmax_by_block<<<rows, kBlockThreads, bytes>>>(x, y, cols);
  return cudaGetLastError();
}

/// Maximum of the logits seen so far, and sum of exp(logit - max).
struct Online {
  float max, sum;
};

/// The sum as seen from a larger maximum; with no logit yet, -inf - (-inf) would be NaN.
__device__ float rescaled(Online seen, float max) { return seen.max == -INFINITY ? seen.sum : seen.sum * expf(seen.max - max); }

__device__ Online block_merge(Online mine, float* partials) {
  const float max = block_reduce<Max>(mine.max, partials);
  return {max, block_reduce<Sum>(rescaled(mine, max), partials)};
}

__device__ int chunk_begin(int index, int cols) { return min(cols, index * ((cols - 1) / static_cast<int>(gridDim.y) + 1)); }

/// Block (row, c) leaves (max, sum) of chunk c at slot c of the head of every chunk of y: no scratch memory is needed.
__global__ void softmax_partials(const float* __restrict__ x,  // [rows, cols], dense
                                 float* __restrict__ y,        // [rows, cols], dense
                                 int cols) {
  __shared__ float partials[kMaxWarps];
  const size_t first = static_cast<size_t>(blockIdx.x) * cols;
  Online mine = {Max::identity(), Sum::identity()};
  for (int col = chunk_begin(blockIdx.y, cols) + threadIdx.x; col < chunk_begin(blockIdx.y + 1, cols); col += blockDim.x) {
    const float logit = x[first + col];
    if (logit > mine.max) mine = {logit, rescaled(mine, logit)};
    mine.sum += weight(logit, mine.max);
  }
  const Online all = block_merge(mine, partials);
  WATCH(mine.max);
  WATCH(mine.sum);
  if (threadIdx.x >= gridDim.y) return;
  float* head = y + first + chunk_begin(threadIdx.x, cols);
  head[2 * blockIdx.y] = all.max;
  head[2 * blockIdx.y + 1] = all.sum;
}

/// Block (row, c) merges the partials at the head of chunk c, then writes the chunk.
__global__ void softmax_from_partials(const float* __restrict__ x, float* y, int cols) {  // [rows, cols], dense, both
  __shared__ float partials[kMaxWarps];
  const size_t first = static_cast<size_t>(blockIdx.x) * cols;
  const float* head = y + first + chunk_begin(blockIdx.y, cols);
  Online mine = {Max::identity(), Sum::identity()};
  if (threadIdx.x < gridDim.y) mine = {head[2 * threadIdx.x], head[2 * threadIdx.x + 1]};
  const Online all = block_merge(mine, partials);  // its barriers stand between the reads of the head and the writes below
  for (int col = chunk_begin(blockIdx.y, cols) + threadIdx.x; col < chunk_begin(blockIdx.y + 1, cols); col += blockDim.x) {
    y[first + col] = weight(x[first + col], all.max) * inverse_of(all.sum);
  }
}

cudaError_t launch_split(const float* x, float* y, int rows, int cols, int multiprocessors) {
  if (cols <= kWarpCols) return cudaErrorInvalidValue;  // a chunk would have no room for its head
  const int wanted = min(min(2 * multiprocessors / rows, cols / kWarpCols), kMostChunks);
  const dim3 grid(rows, max(wanted, 1));
  softmax_partials<<<grid, kBlockThreads>>>(x, y, cols);
  WARPBOOK_TRY(cudaGetLastError());
  softmax_from_partials<<<grid, kBlockThreads>>>(x, y, cols);
  return cudaGetLastError();
}

enum class Path { kTiles, kWarp, kBlock, kSplit };

struct Device {
  int multiprocessors;
  int shared_bytes;  // that a block may have at most, when asked for
};

Path choose(int rows, int cols, const Device& device) {
  if (cols <= kWarpSize) return Path::kTiles;
  if (cols <= kWarpCols) return Path::kWarp;
  if (shared_bytes_for(cols) > static_cast<size_t>(device.shared_bytes)) return Path::kSplit;
  if (cols >= kWorthSplitting && rows * kFew <= device.multiprocessors) return Path::kSplit;
  return Path::kBlock;
}

}  // namespace

/// rows, cols >= 1.
cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  int id = 0;
  Device device = {};
  WARPBOOK_TRY(cudaGetDevice(&id));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&device.multiprocessors, cudaDevAttrMultiProcessorCount, id));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&device.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, id));
  switch (choose(rows, cols, device)) {
    case Path::kTiles: return cols <= 8 ? launch_by_lanes<8, 1>(x, y, rows, cols) : launch_by_lanes<8, 4>(x, y, rows, cols);
    case Path::kWarp: return cols <= 256 ? launch_by_lanes<32, 8>(x, y, rows, cols) : launch_by_lanes<32, 32>(x, y, rows, cols);
    case Path::kBlock: return launch_by_block(x, y, rows, cols);
    case Path::kSplit: return launch_split(x, y, rows, cols, device.multiprocessors);
  }
  return cudaErrorInvalidValue;
}
