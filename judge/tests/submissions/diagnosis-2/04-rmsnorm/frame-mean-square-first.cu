// mistake-of: none
// RMSNorm: y = x / sqrt(mean(x^2) + eps) * weight, one block a row.
//
// The idea: one reduction decides one number, the scale, and every element of the row is multiplied by it. The squares are summed by
// the block reduce of lesson 02, so every thread has the sum and computes the same scale; nothing is handed on. eps stands inside
// the root: it keeps a row of zeros at zero and bounds the scale by 1 / sqrt(eps).
//
// Contract: eps > 0, the mean divides by cols, |x| <= 1e15 (the squares of a row overflow from 1.84e19 / sqrt(cols)).
// New against lesson 03: a row is not only moved but looked at first, so it is read twice. Still bad: that second read.
//
// Run it: ./workbook run 04
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;  // a multiple of 32, as block_reduce asks

// region squares
/// The sum of the squares of a row; every thread of the block gets it.
__device__ float row_squares(const float* __restrict__ row,  // [cols]
                             int cols,
                             float* partials) {  // [kMaxWarps], shared memory
  float mine = 0.0f;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    const float value = row[col];
    mine += value * value;
    WATCH(mine);
  }
  return block_reduce<Sum>(mine, partials);
}
// endregion squares

// region write
/// The second walk: every element times the scale of the row and the weight of its column.
__device__ void write_row(const float* __restrict__ row,     // [cols]
                          const float* __restrict__ weight,  // [cols]
                          float* __restrict__ out,           // [cols]
                          int cols, float scale) {
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    out[col] = row[col] * scale * weight[col];
  }
}
// endregion write

// region kernel
/// Block r normalises row r.
__global__ void rmsnorm_kernel(const float* __restrict__ x,       // [rows, cols], dense
                               const float* __restrict__ weight,  // [cols]
                               float* __restrict__ y,             // [rows, cols], dense
                               int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;

  const float squares = row_squares(x + offset, cols, partials);
  WATCH(squares);
  // >>> blank scale: from squares, cols and eps the number float scale that the row is multiplied by, about 2 lines
  const float mean_sq = squares / cols;
  const float scale = 1.0f / (mean_sq + eps);
  // <<< blank scale
  WATCH(scale);

  write_row(x + offset, weight, y + offset, cols, scale);
}
// endregion kernel

}  // namespace

// region launch
/// One block of kThreads threads a row; rows, cols >= 1. The tensors are dense: row r starts at element r * cols.
cudaError_t launch_rmsnorm(const float* x,       // [rows, cols]
                           const float* weight,  // [cols]
                           float* y,             // [rows, cols]
                           int rows, int cols, float eps) {
  rmsnorm_kernel<<<rows, kThreads>>>(x, weight, y, cols, eps);
  return cudaGetLastError();
}
// endregion launch
