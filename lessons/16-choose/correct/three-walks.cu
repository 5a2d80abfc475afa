// verdict: AC
// medal: lost
// mistake: one kernel for all lengths, and it reads every row three times
// Softmax of every row in three walks, whatever its length (lesson 06): right everywhere, and nowhere as good as it could be.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;  // a multiple of 32, as block_reduce asks

/// What one logit weighs before the division. Masked columns weigh 0, also where the whole row is masked and row_max is -inf.
__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

/// Block r turns row r into probabilities.
__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], dense
                               float* __restrict__ y,        // [rows, cols], dense
                               int cols) {
  __shared__ float partials[kMaxWarps];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  float* probabilities = y + static_cast<size_t>(blockIdx.x) * cols;

  // First walk: the largest logit.
  float largest = Max::identity();
  for (int col = threadIdx.x; col < cols; col += blockDim.x) largest = fmaxf(largest, logits[col]);
  const float row_max = block_reduce<Max>(largest, partials);

  // Second walk: the sum of the weights.
  float weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += blockDim.x) weights += weight(logits[col], row_max);
  const float total = block_reduce<Sum>(weights, partials);

  // Third walk: every weight again, divided. Only a wholly masked row has total 0; NaN is not 0 and passes through.
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    probabilities[col] = total == 0.0f ? 0.0f : weight(logits[col], row_max) / total;
  }
}

}  // namespace

/// rows, cols >= 1.
cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  softmax_kernel<<<rows, kThreads>>>(x, y, cols);
  return cudaGetLastError();
}
