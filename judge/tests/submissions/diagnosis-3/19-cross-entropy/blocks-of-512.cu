// mistake-of: log-added-to-maximum
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 512;
constexpr int kIgnored = -100;

/// Of a part of a row: its largest logit, and the sum of exp(logit - max).
struct Online {
  float max, sum;
};

__device__ Online with(Online seen, float logit) {
  if (logit == -INFINITY) return seen;
  const float larger = fmaxf(seen.max, logit);
  return {larger, seen.sum * expf(seen.max - larger) + expf(logit - larger)};
}

__device__ Online block_merge(Online mine, float* partials) {
  const float larger = block_reduce<Max>(mine.max, partials);
  const float moved = mine.sum * expf(mine.max - larger);
  return {larger, block_reduce<Sum>(moved, partials)};
}

/// Block r does row r.
__global__ void cross_entropy_kernel(const float* __restrict__ logits, const int* __restrict__ targets, float* __restrict__ loss,
                                     float* __restrict__ gradient, int cols, float scale) {
  __shared__ float partials[kMaxWarps];
  const float* x = logits + static_cast<size_t>(blockIdx.x) * cols;
  float* g = gradient + static_cast<size_t>(blockIdx.x) * cols;

  const int target = targets[blockIdx.x];
  if (target < 0 || target >= cols) {
    const float everywhere = target == kIgnored ? 0.0f : NAN;
    for (int col = threadIdx.x; col < cols; col += kThreads) g[col] = everywhere;
    if (threadIdx.x == 0) loss[blockIdx.x] = everywhere;
    return;
  }

  Online mine = {-INFINITY, 0.0f};
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    mine = with(mine, x[col]);
    WATCH(mine.max);
    WATCH(mine.sum);
  }
  const Online row = block_merge(mine, partials);
  WATCH(row.max);
  WATCH(row.sum);

  // log-sum-exp of the row: the loss is this minus the logit of the target
  const float log_sum_exp = row.max + logf(row.sum);
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float logit = x[col];
    const float probability = expf(logit - row.max) / row.sum;
    g[col] = scale * (col == target ? probability - 1.0f : probability);
    if (col == target) loss[blockIdx.x] = log_sum_exp - logit;
  }
}

}  // namespace

/// rows, cols >= 1.
cudaError_t launch_cross_entropy(const float* logits, const int* targets, float* loss, float* gradient, int rows, int cols, float scale) {
  cross_entropy_kernel<<<rows, kThreads>>>(logits, targets, loss, gradient, cols, scale);
  return cudaGetLastError();
}
