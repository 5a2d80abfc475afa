// mistake-of: u-of-all
#include <cuda_runtime.h>
#include <limits.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::kAllLanes;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::kWarpSize;

constexpr int kThreads = 128;
constexpr int kMost = 64;

struct Candidate {
  float logit;
  int column;
};

__device__ bool better(Candidate a, Candidate b) { return a.logit > b.logit || (a.logit == b.logit && a.column < b.column); }

// The columns [from, to) belong to this thread; walked from the last to the first.
__device__ Candidate best_after(Candidate last, const float* logits, int from, int to) {
  Candidate best = {-INFINITY, INT_MAX};
  int col = to;
  while (col > from) {
    --col;
    const Candidate c = {logits[col], col};
    if (c.logit > -INFINITY && better(last, c) && better(c, best)) best = c;
  }
  return best;
}

__device__ Candidate warp_best(Candidate mine) {
  int offset = 1;
  while (offset < kWarpSize) {
    const Candidate other = {__shfl_xor_sync(kAllLanes, mine.logit, offset), __shfl_xor_sync(kAllLanes, mine.column, offset)};
    if (better(other, mine)) mine = other;
    offset *= 2;
  }
  return mine;
}

__device__ Candidate block_best(Candidate mine, Candidate* partials) {
  const int lane = threadIdx.x % kWarpSize;
  mine = warp_best(mine);
  if (lane == 0) partials[threadIdx.x / kWarpSize] = mine;
  __syncthreads();
  mine = partials[0];
  int warp = 1;
  while (warp < kThreads / kWarpSize) {
    if (better(partials[warp], mine)) mine = partials[warp];
    ++warp;
  }
  __syncthreads();
  return mine;
}

__global__ void sample_kernel(const float* __restrict__ x, const float* __restrict__ uniform, int* __restrict__ token,
                              int* __restrict__ count, int cols, int k, float p) {
  __shared__ Candidate partials[kMaxWarps];
  __shared__ Candidate found[kMost];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  const int share = (cols + kThreads - 1) / kThreads;
  const int from = min(cols, static_cast<int>(threadIdx.x) * share);
  const int to = min(cols, from + share);

  Candidate mine = best_after({INFINITY, -1}, logits, from, to);
  int n = 0;
  while (n < k) {
    const Candidate winner = block_best(mine, partials);
    if (winner.column == INT_MAX) break;
    if (threadIdx.x == 0) found[n] = winner;
    if (winner.column >= from && winner.column < to) mine = best_after(winner, logits, from, to);
    ++n;
  }

  if (threadIdx.x != 0) return;
  if (n == 0) {
    token[blockIdx.x] = -1;
    count[blockIdx.x] = 0;
    return;
  }

  float weights[kMost];
  float total = 0.0f;
  int i = 0;
  while (i < n) {
    weights[i] = expf(found[i].logit - found[0].logit);
    total += weights[i];
    ++i;
  }

  // how many are kept
  int kept = 1;
  float sum = weights[0];
  while (kept < n && (p >= 1.0f || sum < p * total)) {
    sum += weights[kept];
    ++kept;
  }

  // the draw
  const float mark = uniform[blockIdx.x] * total;
  float running = weights[0];
  i = 0;
  while (i + 1 < kept && running <= mark) {
    ++i;
    running += weights[i];
  }
  count[blockIdx.x] = kept;
  token[blockIdx.x] = found[i].column;
}

}  // namespace

cudaError_t launch_sample(const float* logits, const float* uniform, int* token, int* kept, int rows, int cols, int k, float p) {
  if (k < 1 || k > kMost) return cudaErrorInvalidValue;
  sample_kernel<<<rows, kThreads>>>(logits, uniform, token, kept, cols, k, p);
  return cudaGetLastError();
}
