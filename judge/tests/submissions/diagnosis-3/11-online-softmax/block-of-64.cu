// mistake-of: update-unguarded
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::kAllLanes;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::kWarpSize;

constexpr int kThreads = 64;  // two warps a block

/// What is known of a part of a row.
struct Online {
  float max;  ///< its largest logit; -inf where there is none
  float sum;  ///< of exp(logit - max) over its logits; 0 where there is none
};

/// The part without logits: what a thread without data brings.
__device__ Online nothing() { return {-INFINITY, 0.0f}; }

/// The part with one more logit.
__device__ Online with(Online seen, float logit) {
  const float larger = fmaxf(seen.max, logit);
  const float moved = seen.sum * expf(seen.max - larger);
  return {larger, moved + expf(logit - larger)};
}

/// Two parts of a row taken together. Either may be without logits, or both.
__device__ Online merge(Online a, Online b) {
  const float m = fmaxf(a.max, b.max);
  if (m == -INFINITY) return {m, a.sum + b.sum};
  const float from_a = a.sum * expf(a.max - m);
  const float from_b = b.sum * expf(b.max - m);
  return {m, from_a + from_b};
}

__device__ Online warp_merge(Online mine) {
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    const Online other = {__shfl_xor_sync(kAllLanes, mine.max, offset), __shfl_xor_sync(kAllLanes, mine.sum, offset)};
    mine = merge(mine, other);
  }
  return {__shfl_sync(kAllLanes, mine.max, 0), __shfl_sync(kAllLanes, mine.sum, 0)};
}

/// The pairs of a block; every thread gets the result.
__device__ Online block_merge(Online mine, Online* partials) {
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  mine = warp_merge(mine);
  if (lane == 0) partials[warp] = mine;
  __syncthreads();
  return merge(partials[0], partials[1]);
}

/// What one logit weighs before the division.
__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

/// Block r turns row r into probabilities.
__global__ void softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int cols) {
  __shared__ Online partials[kMaxWarps];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  float* probabilities = y + static_cast<size_t>(blockIdx.x) * cols;

  Online mine = nothing();
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    mine = with(mine, logits[col]);
    WATCH(mine.max);
    WATCH(mine.sum);
  }
  const Online row = block_merge(mine, partials);
  WATCH(row.max);
  WATCH(row.sum);

  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    probabilities[col] = row.sum == 0.0f ? 0.0f : weight(logits[col], row.max) / row.sum;
  }
}

}  // namespace

/// rows, cols >= 1.
cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  softmax_kernel<<<rows, kThreads>>>(x, y, cols);
  return cudaGetLastError();
}
