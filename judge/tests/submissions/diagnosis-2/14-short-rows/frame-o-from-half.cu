// mistake-of: across-tiles
// Softmax of rows of up to 32 columns, several rows a warp: y = exp(x - m) / sum(exp(x - m)).
//
// The idea: a row of 8 columns needs 8 lanes, so a warp has room for four such rows. Its lanes form tiles of 8 or 16 that each
// reduce a row of their own, by the same butterfly with fewer steps: as long as every offset is below the tile size, no value
// leaves its tile. Against lesson 10 (a warp a row) a quarter of the warps do the same work. Still bad: rows of 5 leave three
// lanes of each tile without work, and between 17 and 31 columns the whole warp is the tile.
//
// -inf marks a masked column: its output is exactly 0. A row in which every column is masked gives zeros. A row with NaN or
// +inf gives NaN.
//
// Run it: ./workbook run 14
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::kAllLanes;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 128;  // a multiple of every tile size

/// What one logit weighs before the division. Masked columns weigh 0, also where the whole row is masked and row_max is -inf.
__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

// region tile_reduce
/// Combines one value per lane of a tile of kTile neighbouring lanes (8, 16 or 32); every lane of the tile gets the result.
/// All 32 lanes of the warp must arrive, those without data with Op::identity().
template <int kTile, class Op>
__device__ float tile_reduce(float value) {
  // >>> blank reduce: the butterfly of lesson 01, kept inside the tile, about 3 lines
  for (int o = 16; o >= 1; o >>= 1) {
    value = Op::combine(value, __shfl_xor_sync(kAllLanes, value, o));
  }
  // <<< blank reduce
  return value;
}
// endregion tile_reduce

// region kernel
/// Each tile of kTile lanes turns one row into probabilities, a lane a column.
template <int kTile>
__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], dense
                               float* __restrict__ y,        // [rows, cols], dense
                               int rows, int cols) {
  constexpr int kRowsPerBlock = kThreads / kTile;
  // >>> blank place: int row and int col of this thread, about 2 lines
  const int row = blockIdx.x * kRowsPerBlock + threadIdx.x / kTile;
  const int col = threadIdx.x % kTile;
  // <<< blank place
  WATCH(row);
  WATCH(col);

  // A tile beyond the last row stays and brings identities: the shuffles name all lanes of the warp.
  const bool exists = row < rows && col < cols;
  const size_t at = static_cast<size_t>(row) * cols + col;
  const float logit = exists ? x[at] : -INFINITY;

  const float row_max = tile_reduce<kTile, Max>(logit);
  const float mine = weight(logit, row_max);
  const float total = tile_reduce<kTile, Sum>(mine);
  WATCH(row_max);
  WATCH(total);

  if (exists) y[at] = total == 0.0f ? 0.0f : mine / total;  // only a wholly masked row has total 0
}
// endregion kernel

template <int kTile>
cudaError_t launch(const float* x, float* y, int rows, int cols) {
  constexpr int kRowsPerBlock = kThreads / kTile;
  const int blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  softmax_kernel<kTile><<<blocks, kThreads>>>(x, y, rows, cols);
  return cudaGetLastError();
}

}  // namespace

// region launch
/// rows >= 1, 1 <= cols <= 32: the smallest tile that has a lane for every column.
cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols <= 8) return launch<8>(x, y, rows, cols);
  if (cols <= 16) return launch<16>(x, y, rows, cols);
  if (cols <= 32) return launch<32>(x, y, rows, cols);
  return cudaErrorInvalidValue;
}
// endregion launch
