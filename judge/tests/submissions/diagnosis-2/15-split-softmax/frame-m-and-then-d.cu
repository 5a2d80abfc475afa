// mistake-of: merges-only-maxima
// Softmax of long rows: many blocks share a row, and a second kernel merges what they found.
//
// The idea: a block runs on one multiprocessor, so one row of 152,064 logits in one block leaves 131 of the 132 of an H200 idle. Cut the
// row into chunks and give each to a block. What softmax has to know of a chunk is its pair (maximum, sum) of lesson 11; pairs merge in any
// order, so the blocks need not meet: the first kernel leaves a pair a chunk in global memory, and the second one, which starts when the
// first has ended, merges the pairs of a row and writes. Still bad: every block of the second kernel merges all pairs of its row again,
// and 8 bytes a chunk of scratch memory have to come from somewhere.
//
// The contract is that of lesson 06. -inf marks a masked column: its output is exactly 0. A row in which every column is masked gives
// zeros. A row with NaN or +inf gives NaN. The launch function returns the error of any call or launch that failed.
//
// Run it: ./workbook run 15
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

constexpr int kThreads = 128;     // a multiple of 32, as block_reduce asks
constexpr int kChunkCols = 1024;  // columns of a block, 8 a thread

// region pair
/// What is known of a part of a row (lesson 11).
struct Online {
  float max;  ///< its largest logit; -inf where there is none
  float sum;  ///< of exp(logit - max) over its logits; 0 where there is none
};

/// The part without logits: what a thread without data brings.
__device__ Online nothing() { return {-INFINITY, 0.0f}; }

/// A sum as seen from a larger maximum. With no logit there is nothing to move, and -inf - (-inf) would be NaN.
__device__ float moved(Online part, float larger_max) { return part.max == -INFINITY ? part.sum : part.sum * expf(part.max - larger_max); }

/// Two parts of a row taken together.
__device__ Online merge(Online a, Online b) {
  const float larger = fmaxf(a.max, b.max);
  return {larger, moved(a, larger) + moved(b, larger)};
}

/// The pairs of the 32 lanes together, in every lane: the maximum first, then the sums as seen from it.
__device__ Online warp_merge(Online mine) {
  const float max = warp_reduce<Max>(mine.max);
  return {max, warp_reduce<Sum>(moved(mine, max))};
}
// endregion pair

/// What one logit weighs before the division, as in lesson 06.
__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

// region partials
/// Block (r, c) finds the pair of chunk c of row r.
__global__ void softmax_partials(const float* __restrict__ x,    // [rows, cols], dense
                                 Online* __restrict__ partials,  // [rows, chunks]
                                 int cols) {
  __shared__ float shared[kMaxWarps];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  const int first = blockIdx.y * kChunkCols;
  const int end = min(cols, first + kChunkCols);

  Online mine = nothing();
  for (int col = first + threadIdx.x; col < end; col += kThreads) {
    const float logit = logits[col];
    if (logit != -INFINITY) mine = merge(mine, {logit, 1.0f});  // a logit is a part of its own
  }
  WATCH(mine.max);
  WATCH(mine.sum);
  const float max = block_reduce<Max>(mine.max, shared);
  const float sum = block_reduce<Sum>(moved(mine, max), shared);
  if (threadIdx.x == 0) partials[static_cast<size_t>(blockIdx.x) * gridDim.y + blockIdx.y] = {max, sum};
}
// endregion partials

// region merge_partials
/// The pair of a whole row from those of its chunks. Each warp does it for itself; every lane gets the result.
__device__ Online merge_partials(const Online* partials,  // [chunks], global memory
                                 int chunks) {
  const int lane = threadIdx.x % kWarpSize;
  // >>> blank merge-partials: all pairs of the row together, however many chunks there are, about 3 lines
  float m = -INFINITY;
  for (int c = lane; c < chunks; c += kWarpSize) m = fmaxf(m, partials[c].max);
  m = warp_reduce<Max>(m);
  float d = 0.0f;
  for (int c = lane; c < chunks; c += kWarpSize) d += partials[c].sum;
  d = warp_reduce<Sum>(d);
  return {m, d};
  // <<< blank merge-partials
}
// endregion merge_partials

// region normalise
/// Block (r, c) writes chunk c of row r.
__global__ void softmax_from_partials(const float* __restrict__ x,          // [rows, cols], dense
                                      const Online* __restrict__ partials,  // [rows, chunks]
                                      float* __restrict__ y,                // [rows, cols], dense
                                      int cols) {
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
// endregion normalise

}  // namespace

// region launch
/// rows, cols >= 1. Returns the error of whatever failed.
cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  const int chunks = (cols - 1) / kChunkCols + 1;
  Online* partials = nullptr;  // [rows, chunks]
  WARPBOOK_TRY(cudaMallocAsync(&partials, sizeof(Online) * rows * chunks, 0));

  const dim3 grid(rows, chunks);
  softmax_partials<<<grid, kThreads>>>(x, partials, cols);
  cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) {
    softmax_from_partials<<<grid, kThreads>>>(x, partials, y, cols);
    status = cudaGetLastError();
  }
  const cudaError_t freed = cudaFreeAsync(partials, 0);  // in stream order: after both kernels
  return status != cudaSuccess ? status : freed;
}
// endregion launch
