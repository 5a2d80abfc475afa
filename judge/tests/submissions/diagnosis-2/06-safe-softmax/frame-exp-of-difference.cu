// mistake-of: masked-row-nan
// Softmax of every row, safe from overflow, in three walks: y = exp(x - m) / sum(exp(x - m)), m the largest of the row.
//
// The idea: e^x leaves the range of float at x = 88.73. Subtracting the same number from every logit multiplies numerator
// and denominator by the same factor and changes nothing else, so subtract the largest: no exponent is above 0, at least one
// weight is exactly 1, and the sum lies between 1 and cols. Still bad: the row is read three times (lesson 11 needs two, and
// a row that fits on chip needs one).
//
// -inf marks a masked column: its output is exactly 0. A row in which every column is masked gives zeros. A row with NaN or
// +inf gives NaN.
//
// Run it: ./workbook run 06
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;  // a multiple of 32, as block_reduce asks

// region weight
/// What one logit weighs before the division. Masked columns weigh 0, also where the whole row is masked and row_max is -inf.
__device__ float weight(float logit, float row_max) { return expf(logit - row_max); }
// endregion weight

// region kernel
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
  WATCH(largest);
  const float row_max = block_reduce<Max>(largest, partials);
  WATCH(row_max);

  // Second walk: the sum of the weights.
  float weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += blockDim.x) weights += weight(logits[col], row_max);
  WATCH(weights);
  const float total = block_reduce<Sum>(weights, partials);
  WATCH(total);

  // Third walk: every weight again, divided. Only a wholly masked row has total 0; NaN is not 0 and passes through.
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    probabilities[col] = total == 0.0f ? 0.0f : weight(logits[col], row_max) / total;
  }
}
// endregion kernel

}  // namespace

/// rows, cols >= 1.
cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  softmax_kernel<<<rows, kThreads>>>(x, y, cols);
  return cudaGetLastError();
}
