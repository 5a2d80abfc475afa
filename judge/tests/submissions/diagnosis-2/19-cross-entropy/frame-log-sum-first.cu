// mistake-of: log-added-to-maximum
// Cross-entropy of every row against one target, and its gradient, in two walks. A loss is -log of the probability that softmax gives
// the target; the gradient of a logit is its probability, minus 1 at the target.
//
// The idea: log undoes exp. -log(exp(x - m) / d) is (m - x) + log(d), with m the largest logit of the row and d the sum of
// exp(x - m), and both are there after one online walk (lesson 11). Written so, no probability is ever rounded to 0 before its
// logarithm is taken, and log(d) is never added to a large number that would swallow it. Still bad: the row is read a second time for the
// gradient, and a vocabulary of 100,000 leaves one block with all the work (lesson 15).
//
// A target of -100 says that the row does not count: loss and gradient are 0, whatever the logits hold. Any other target outside the
// row gives NaN. -inf masks a column (gradient 0). A row with NaN or +inf gives NaN. Every row has a finite logit. |x| up to 1e30.
//
// Run it: ./workbook run 19
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;   // a multiple of 32, as block_reduce asks
constexpr int kIgnored = -100;  // the target of a row that does not count

// region online
/// Of a part of a row: its largest logit, and the sum of exp(logit - max). Without logits: -inf and 0.
struct Online {
  float max, sum;
};

/// The part with one more logit, as in lesson 11. A masked one changes nothing.
__device__ Online with(Online seen, float logit) {
  if (logit == -INFINITY) return seen;
  const float larger = fmaxf(seen.max, logit);
  return {larger, seen.sum * expf(seen.max - larger) + expf(logit - larger)};
}

/// The parts of all threads together. Here the maximum goes first and every thread moves its sum once, in place of ten merges of pairs.
__device__ Online block_merge(Online mine, float* partials) {  // partials: [kMaxWarps], shared memory
  const float larger = block_reduce<Max>(mine.max, partials);
  const float moved = mine.sum * expf(mine.max - larger);  // without logits: 0 times 0
  return {larger, block_reduce<Sum>(moved, partials)};
}
// endregion online

// region loss
/// The loss of a row with this logit at its target.
__device__ float loss_of(float target_logit, Online row) {
  // >>> blank loss: -log of the probability of the target, without forming it, about 1 line
  const float log_sum_exp = row.max + logf(row.sum);
  return log_sum_exp - target_logit;
  // <<< blank loss
}
// endregion loss

// region kernel
/// Block r does row r.
__global__ void cross_entropy_kernel(const float* __restrict__ logits,  // [rows, cols], dense
                                     const int* __restrict__ targets,   // [rows]
                                     float* __restrict__ loss,          // [rows]
                                     float* __restrict__ gradient,      // [rows, cols], dense
                                     int cols, float scale) {
  __shared__ float partials[kMaxWarps];
  const float* x = logits + static_cast<size_t>(blockIdx.x) * cols;
  float* g = gradient + static_cast<size_t>(blockIdx.x) * cols;

  // The target is one for the block, so all of its threads leave here or none, and the barriers below are safe.
  const int target = targets[blockIdx.x];
  if (target < 0 || target >= cols) {
    const float everywhere = target == kIgnored ? 0.0f : NAN;
    for (int col = threadIdx.x; col < cols; col += blockDim.x) g[col] = everywhere;
    if (threadIdx.x == 0) loss[blockIdx.x] = everywhere;
    return;
  }

  // First walk: maximum and sum.
  Online mine = {-INFINITY, 0.0f};
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    mine = with(mine, x[col]);
    WATCH(mine.max);
    WATCH(mine.sum);
  }
  const Online row = block_merge(mine, partials);
  WATCH(row.max);
  WATCH(row.sum);

  // Second walk: the gradient. The thread that comes to the target has its logit at hand, and writes the loss.
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    const float logit = x[col];
    const float probability = expf(logit - row.max) / row.sum;
    g[col] = scale * (col == target ? probability - 1.0f : probability);
    if (col == target) loss[blockIdx.x] = loss_of(logit, row);
  }
}
// endregion kernel

}  // namespace

/// rows, cols >= 1. scale: what the loss of one row weighs, 1 divided by the number of rows that count.
cudaError_t launch_cross_entropy(const float* logits, const int* targets, float* loss, float* gradient, int rows, int cols, float scale) {
  cross_entropy_kernel<<<rows, kThreads>>>(logits, targets, loss, gradient, cols, scale);
  return cudaGetLastError();
}
