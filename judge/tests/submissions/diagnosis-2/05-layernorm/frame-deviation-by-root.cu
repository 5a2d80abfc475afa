// mistake-of: eps-outside
// LayerNorm from two sums: y = (x - mean) / sqrt(variance + eps) * gamma + beta, one block a row.
//
// The idea: variance = E[x^2] - E[x]^2, so one walk over the row collects both sums and a second one writes. The price is
// that two nearly equal numbers are subtracted. When |mean| is much larger than the spread, what is left is rounding error,
// and it may be negative; its square root is NaN. The guard keeps the NaN out. It does not bring the digits back (lesson 07
// does). Population variance (divide by cols), eps > 0 inside the root, |x| <= 1e15.
//
// Run it: ./workbook run 05
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;  // a multiple of 32, as block_reduce asks

// region sums
/// What one row's two sums become. One walk over the row; every thread gets both sums.
struct Sums {
  float x;         ///< sum of x
  float x_square;  ///< sum of x^2
};

__device__ Sums row_sums(const float* __restrict__ row,  // [cols]
                         int cols,
                         float* partials) {  // [kMaxWarps], shared memory
  Sums mine = {0.0f, 0.0f};
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    const float value = row[col];
    mine.x += value;
    mine.x_square += value * value;
    WATCH(mine.x);
    WATCH(mine.x_square);
  }
  return {block_reduce<Sum>(mine.x, partials), block_reduce<Sum>(mine.x_square, partials)};
}
// endregion sums

// region kernel
/// Block r normalises row r.
__global__ void layernorm_kernel(const float* __restrict__ x,      // [rows, cols], dense
                                 const float* __restrict__ gamma,  // [cols]
                                 const float* __restrict__ beta,   // [cols]
                                 float* __restrict__ y,            // [rows, cols], dense
                                 int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;

  const Sums sums = row_sums(x + offset, cols, partials);
  const float mean = sums.x / cols;
  const float mean_square = sums.x_square / cols;
  WATCH(mean);
  WATCH(mean_square);
  // >>> blank variance: the variance with its guard, and from it float scale = 1 / sqrt(variance + eps), about 2 lines
  float v = mean_square - mean * mean;
  if (v < 0.0f) v = 0.0f;
  const float scale = 1.0f / (sqrtf(v) + eps);
  // <<< blank variance
  WATCH(scale);

  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    y[offset + col] = (x[offset + col] - mean) * scale * gamma[col] + beta[col];
  }
}
// endregion kernel

}  // namespace

/// rows, cols >= 1.
cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  layernorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
