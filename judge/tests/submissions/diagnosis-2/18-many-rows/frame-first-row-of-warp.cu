// mistake-of: one-turn
// LayerNorm as a framework calls it: y = (x - mean) / sqrt(variance + eps) * gamma + beta, any number of rows, any strides.
//
// The idea: the grid has the size that suits the GPU, not the matrix, and each warp loops over rows. What a framework hands over is
// seldom the dense matrix of a textbook: rows lie `stride` elements apart and the product row * stride needs 64 bits; gamma and beta may
// be absent (null); y may be x; and there may be no rows at all. A warp takes a row into registers as in lessons 07 and 10: at most 128
// columns. Population variance (divide by cols), eps > 0 inside the root, |x| <= 1e15. Still bad: the number of blocks is a constant, and
// every element asks anew whether gamma is there.
//
// Run it: ./workbook run 18
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::kWarpSize;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kRowsPerBlock = 4;             // one warp a row
constexpr int kHeld = 4;                     // columns of a row that a lane holds
constexpr int kMaxCols = kWarpSize * kHeld;  // longer rows are refused
constexpr int kMaxBlocks = 64;               // so few that 257 rows already need a second turn; a GPU has work for many more

// region row
/// Normalises one row by one warp; all 32 lanes arrive. The whole row is read before any of it is written, so y_row may be x_row: hence
/// no __restrict__ on these two.
__device__ void normalise_row(const float* x_row,  // [cols]
                              const float* gamma,  // [cols] or null, which means 1
                              const float* beta,   // [cols] or null, which means 0
                              float* y_row,        // [cols]
                              int cols, float eps) {
  const int lane = threadIdx.x % kWarpSize;
  float held[kHeld];
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = lane + i * kWarpSize;
    held[i] = col < cols ? x_row[col] : 0.0f;
    sum += held[i];
  }
  const float mean = warp_reduce<Sum>(sum) / cols;
  float squares = 0.0f;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const float distance = lane + i * kWarpSize < cols ? held[i] - mean : 0.0f;
    squares += distance * distance;
  }
  const float scale = rsqrtf(warp_reduce<Sum>(squares) / cols + eps);
  WATCH(mean);
  WATCH(scale);
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = lane + i * kWarpSize;
    if (col >= cols) continue;
    const float weight = gamma != nullptr ? gamma[col] : 1.0f;
    const float shift = beta != nullptr ? beta[col] : 0.0f;
    y_row[col] = (held[i] - mean) * scale * weight + shift;
  }
}
// endregion row

// region kernel
/// Any grid will do: all rows are taken whatever gridDim.x is.
__global__ void layernorm_kernel(const float* x,      // [rows, cols], row stride x_stride
                                 const float* gamma,  // [cols] or null
                                 const float* beta,   // [cols] or null
                                 float* y,            // [rows, cols], row stride y_stride; may be x
                                 int rows, int cols, long long x_stride, long long y_stride, float eps) {
  const int warp = threadIdx.x / kWarpSize;
  WATCH(warp);
  // >>> blank rows: normalise_row for every row of this warp, whatever the number of rows, about 5 lines
  const int first = warp + blockIdx.x * kRowsPerBlock;
  const int r = first;
  if (r < rows) {
    const float* from = x + r * x_stride;
    float* to = y + r * y_stride;
    normalise_row(from, gamma, beta, to, cols, eps);
  }
  // <<< blank rows
}
// endregion kernel

}  // namespace

// region launch
/// rows >= 0, 1 <= cols <= 128 (cudaErrorInvalidValue for longer rows), strides of at least cols. gamma and beta may be null.
cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, long long x_stride,
                             long long y_stride, float eps) {
  if (cols > kMaxCols) return cudaErrorInvalidValue;
  if (rows == 0) return cudaSuccess;  // a grid of no blocks is an error
  const int wanted = (rows - 1) / kRowsPerBlock + 1;
  const int blocks = wanted < kMaxBlocks ? wanted : kMaxBlocks;
  layernorm_kernel<<<blocks, kRowsPerBlock * kWarpSize>>>(x, gamma, beta, y, rows, cols, x_stride, y_stride, eps);
  return cudaGetLastError();
}
// endregion launch
