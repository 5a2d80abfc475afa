// verdict: WA
// reason: value
// cases: top-k, top-p, both, all-alike, k-above-cols, three-left, not-a-number, p-one, large-logits
// mistake: the owner of the winner does not look for its next best: the same token wins every round
// question: after a round, what has to change before the next one asks the same question?
// One token a row, drawn from its k best logits (top-k) and of those from the fewest whose probability reaches p (top-p). k = 1 is greedy
// decoding: the column of the largest logit.
//
// The idea: softmax keeps the order of the logits, so whoever wants the best few needs no softmax. A total order of (logit, column) pairs,
// with ties to the lower column, makes the answer independent of who finds it: "the best after the last one found" is asked k times. Each
// thread remembers the best of its own columns, so a round is one reduction, and only the thread whose candidate won looks at its columns
// again. Exponentials are taken of k numbers, not of the row. Still bad: k rounds one after another, by one block.
//
// A NaN or -inf logit is never drawn. A row without any other gives token -1 and kept 0. p >= 1 keeps all k, p <= 0 keeps one. k above
// the number of logits means all of them. u in [0, 1) is the random number of the row. |x| up to 1e6.
//
// Run it: ./workbook run 20
#include <cuda_runtime.h>
#include <limits.h>
#include <math.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::kAllLanes;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::kWarpSize;

constexpr int kThreads = 128;  // a multiple of 32: all lanes of every warp exist
constexpr int kMost = 64;      // candidates that a row may have

// region candidate
/// A token that may be drawn.
struct Candidate {
  float logit;
  int column;
};

/// What a thread without a candidate brings, and what stands before the first one.
__device__ Candidate none() { return {-INFINITY, INT_MAX}; }
__device__ Candidate before_all() { return {INFINITY, -1}; }
// endregion candidate

// region better
/// Whether a comes before b: the larger logit, and of two equal ones the lower column. Never both ways, and one way for different columns.
__device__ bool better(Candidate a, Candidate b) {
  // >>> blank better: the order of candidates, about 1 line
  return a.logit > b.logit || (a.logit == b.logit && a.column < b.column);
  // <<< blank better
}
// endregion better

// region search
/// The best of this thread's columns that comes after `last`. NaN and -inf fail the first test.
__device__ Candidate best_after(Candidate last, const float* logits, int cols) {
  Candidate best = none();
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    const Candidate c = {logits[col], col};
    if (c.logit > -INFINITY && better(last, c) && better(c, best)) best = c;
  }
  return best;
}

__device__ Candidate warp_best(Candidate mine) {
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    const Candidate other = {__shfl_xor_sync(kAllLanes, mine.logit, offset), __shfl_xor_sync(kAllLanes, mine.column, offset)};
    if (better(other, mine)) mine = other;
  }
  return mine;
}

/// The best candidate of the block, for every thread (lesson 02 with pairs).
__device__ Candidate block_best(Candidate mine, Candidate* partials) {  // partials: [kMaxWarps], shared memory
  const int lane = threadIdx.x % kWarpSize;
  mine = warp_best(mine);
  if (lane == 0) partials[threadIdx.x / kWarpSize] = mine;
  __syncthreads();
  mine = warp_best(lane < static_cast<int>(blockDim.x) / kWarpSize ? partials[lane] : none());
  __syncthreads();  // the next round writes partials again
  return mine;
}
// endregion search

// region keep
/// How many of n candidates are kept: the fewest whose weights reach p of the total, at least one, and for p >= 1 all of them.
__device__ int keep(const float* weights, int n, float total, float p) {
  // >>> blank keep: count weights until their sum reaches p of the total, about 4 lines
  int kept = 1;
  float sum = weights[0];
  while (kept < n && (p >= 1.0f || sum < p * total)) sum += weights[kept++];
  return kept;
  // <<< blank keep
}
// endregion keep

// region draw
/// The first candidate at which the running sum passes u times the sum of those kept.
__device__ int draw(const float* weights, int kept, float u) {
  float sum = 0.0f, running = 0.0f;
  for (int i = 0; i < kept; ++i) sum += weights[i];
  for (int i = 0; i + 1 < kept; ++i) {
    running += weights[i];
    if (running > u * sum) return i;
  }
  return kept - 1;  // rounding may leave no sum above: then it is the last
}
// endregion draw

// region kernel
/// Block r draws the token of row r.
__global__ void sample_kernel(const float* __restrict__ x,        // [rows, cols], dense
                              const float* __restrict__ uniform,  // [rows]
                              int* __restrict__ token,            // [rows]
                              int* __restrict__ count,            // [rows]: how many are kept
                              int cols, int k, float p) {
  __shared__ Candidate partials[kMaxWarps];
  __shared__ Candidate found[kMost];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;

  Candidate mine = best_after(before_all(), logits, cols);
  int n = 0;
  while (n < k) {
    const Candidate winner = block_best(mine, partials);
    WATCH(winner.logit);
    WATCH(winner.column);
    if (winner.column == INT_MAX) break;  // fewer than k there: the same for all threads
    if (threadIdx.x == 0) found[n] = winner;
    n = n + 1;
  }

  // A few dozen numbers are left: one thread is enough.
  if (threadIdx.x != 0) return;
  float weights[kMost], total = 0.0f;
  for (int i = 0; i < n; ++i) {
    weights[i] = expf(found[i].logit - found[0].logit);  // the first is the largest (lesson 06)
    total += weights[i];
  }
  const int kept = n == 0 ? 0 : keep(weights, n, total, p);
  WATCH(total);
  WATCH(kept);
  count[blockIdx.x] = kept;
  token[blockIdx.x] = kept == 0 ? -1 : found[draw(weights, kept, uniform[blockIdx.x])].column;
}
// endregion kernel

}  // namespace

/// rows, cols >= 1, k from 1 to 64.
cudaError_t launch_sample(const float* logits, const float* uniform, int* token, int* kept, int rows, int cols, int k, float p) {
  if (k < 1 || k > kMost) return cudaErrorInvalidValue;
  sample_kernel<<<rows, kThreads>>>(logits, uniform, token, kept, cols, k, p);
  return cudaGetLastError();
}
