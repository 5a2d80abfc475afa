// mistake-of: row-of-the-warp
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::kAllLanes;
using warpbook::kernel::kWarpSize;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 64;

/// What one logit weighs before the division.
__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

/// Combines one value per lane of a tile; every lane of the tile gets the result.
template <int kTile, class Op>
__device__ float tile_reduce(float value) {
  int offset = kTile / 2;
  do {
    value = Op::combine(value, __shfl_xor_sync(kAllLanes, value, offset));
    offset /= 2;
  } while (offset > 0);
  return value;
}

/// Each tile of kTile lanes turns one row into probabilities, a lane a column.
template <int kTile>
__global__ void softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  const int row = thread / kWarpSize;
  const int col = thread % kTile;
  WATCH(row);
  WATCH(col);

  const bool exists = row < rows && col < cols;
  const size_t at = static_cast<size_t>(row) * cols + col;
  const float logit = exists ? x[at] : -INFINITY;

  const float row_max = tile_reduce<kTile, Max>(logit);
  const float mine = weight(logit, row_max);
  const float total = tile_reduce<kTile, Sum>(mine);
  WATCH(row_max);
  WATCH(total);

  if (exists) y[at] = total == 0.0f ? 0.0f : mine / total;
}

template <int kTile>
cudaError_t launch(const float* x, float* y, int rows, int cols) {
  constexpr int kRowsPerBlock = kThreads / kTile;
  const int blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  softmax_kernel<kTile><<<blocks, kThreads>>>(x, y, rows, cols);
  return cudaGetLastError();
}

}  // namespace

/// rows >= 1, 1 <= cols <= 32: the smallest tile that has a lane for every column.
cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols <= 8) return launch<8>(x, y, rows, cols);
  if (cols <= 16) return launch<16>(x, y, rows, cols);
  if (cols <= 32) return launch<32>(x, y, rows, cols);
  return cudaErrorInvalidValue;
}
