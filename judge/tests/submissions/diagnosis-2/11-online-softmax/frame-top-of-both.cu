// mistake-of: unguarded
// Softmax of every row in two walks: the first finds maximum and sum together, the second writes.
//
// The idea: of the part of a row seen so far keep a pair, its maximum and the sum of exp(x - maximum). When a larger logit comes, the sum
// was taken as seen from the wrong maximum; one factor, exp(old - new), moves it to the new one. Two parts merge in the same way, and the
// merge may be regrouped: every thread, every warp and the block keep such a pair. Against lesson 06 the row is read twice, not three
// times. Still bad: it is read twice (lesson 12 keeps it on chip), and a block merges by ten steps where a single walk had none.
//
// The contract is that of lesson 06. -inf marks a masked column: its output is exactly 0. A row in which every column is masked gives
// zeros. A row with NaN or +inf gives NaN.
//
// Run it: ./workbook run 11
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::kAllLanes;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::kWarpSize;

constexpr int kThreads = 256;  // a multiple of 32: all lanes of every warp exist

// region pair
/// What is known of a part of a row.
struct Online {
  float max;  ///< its largest logit; -inf where there is none
  float sum;  ///< of exp(logit - max) over its logits; 0 where there is none
};

/// The part without logits: what a thread without data brings.
__device__ Online nothing() { return {-INFINITY, 0.0f}; }
// endregion pair

// region with
/// The part with one more logit. A masked one changes nothing.
__device__ Online with(Online seen, float logit) {
  if (logit == -INFINITY) return seen;  // in a part without logits it would meet max = -inf, and -inf - (-inf) is NaN
  const float larger = fmaxf(seen.max, logit);
  const float moved = seen.sum * expf(seen.max - larger);  // the old sum as seen from the new maximum
  return {larger, moved + expf(logit - larger)};
}
// endregion with

// region merge
/// Two parts of a row taken together. Either may be without logits, or both.
__device__ Online merge(Online a, Online b) {
  // >>> blank merge: the pair of both parts together, about 3 lines
  const float top = fmaxf(a.max, b.max);
  return {top, a.sum * expf(a.max - top) + b.sum * expf(b.max - top)};
  // <<< blank merge
}
// endregion merge

// region block_merge
/// The 32 pairs of a warp by a butterfly, as lessons 01 and 02 do it, with two shuffles a step.
__device__ Online warp_merge(Online mine) {
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    const Online other = {__shfl_xor_sync(kAllLanes, mine.max, offset), __shfl_xor_sync(kAllLanes, mine.sum, offset)};
    mine = merge(mine, other);
  }
  // Two partners merge in opposite order and may round differently (lesson 08): the word of lane 0 counts.
  return {__shfl_sync(kAllLanes, mine.max, 0), __shfl_sync(kAllLanes, mine.sum, 0)};
}

/// The pairs of a block; every thread gets the result. Called once a kernel, so no barrier has to close it.
__device__ Online block_merge(Online mine, Online* partials) {  // partials: [kMaxWarps], shared memory
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  mine = warp_merge(mine);
  if (lane == 0) partials[warp] = mine;
  __syncthreads();
  mine = lane < warps ? partials[lane] : nothing();
  return warp_merge(mine);
}
// endregion block_merge

// region kernel
/// What one logit weighs before the division, as in lesson 06.
__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

/// Block r turns row r into probabilities.
__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], dense
                               float* __restrict__ y,        // [rows, cols], dense
                               int cols) {
  __shared__ Online partials[kMaxWarps];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  float* probabilities = y + static_cast<size_t>(blockIdx.x) * cols;

  // First walk: maximum and sum of this thread's columns, then of the row.
  Online mine = nothing();
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    mine = with(mine, logits[col]);
    WATCH(mine.max);
    WATCH(mine.sum);
  }
  const Online row = block_merge(mine, partials);
  WATCH(row.max);
  WATCH(row.sum);

  // Second walk: every weight, divided. Only a wholly masked row has sum 0; NaN is not 0 and passes through.
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    probabilities[col] = row.sum == 0.0f ? 0.0f : weight(logits[col], row.max) / row.sum;
  }
}
// endregion kernel

}  // namespace

/// rows, cols >= 1.
cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  softmax_kernel<<<rows, kThreads>>>(x, y, cols);
  return cudaGetLastError();
}
