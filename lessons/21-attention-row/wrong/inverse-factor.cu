// verdict: WA
// reason: not-finite
// cases: plain, wide-heads, few-keys, recent-first, one-key, two-keys, one-over, odd-heads, rising, late-winner, falling-far, far-below, first-tile-hidden, second-tile-hidden, hidden-row, no-mask
// mistake: the factor is upside down: exp(new - old), which for the first tile is exp(inf), and inf times 0 is NaN
// question: do weights become larger or smaller when they are seen from a larger maximum?
// Attention of one query a row over keys of its own, as one head computes it while a text is generated:
//   score_j = scale (query . key_j) + mask_j,   out = sum_j softmax(score)_j value_j
//
// The idea: the output is a sum under the weights of a softmax, like the softmax's own denominator. So it can be carried along an online
// softmax (lesson 11) and moved by the same factor whenever a larger maximum comes. Then a tile of 32 keys is scored, weighed, added and
// forgotten: no score and no weight is ever in global memory, and any number of keys takes the same room on chip. Still bad: one block a
// row leaves the device idle when rows are few (lesson 15), and keys and values are read for one query only; queries that share their
// keys could share the reading.
//
// The contract: mask may be null (0 everywhere). A mask of -inf hides its key; a row whose keys are all hidden gives zeros. q, k and v are
// finite. 1 to 1024 columns (the dimension of a head), since each has a thread of its own.
//
// Run it: ./workbook run 21
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::kAllLanes;
using warpbook::kernel::kWarpSize;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kTile = kWarpSize;  // keys a tile: one a lane, so that every warp can hold a whole tile
constexpr int kMostCols = 1024;   // threads of a block

// region seen
/// What a thread knows of the keys seen so far.
struct Seen {
  float max;  ///< the largest score; -inf where there was none
  float sum;  ///< of exp(score - max)
  float out;  ///< of exp(score - max) * value, in this thread's column
};
// endregion seen

// region move
/// What was seen from seen.max, as seen from `larger`, which is not below it. Both may be -inf.
__device__ void move(Seen& seen, float larger) {
  // >>> blank rescale: all that was added up so far, as seen from the larger maximum, about 5 lines
  if (larger == -INFINITY) return;  // no key yet: nothing to move, and -inf - (-inf) is NaN
  const float factor = expf(larger - seen.max);
  seen.sum *= factor;
  seen.out *= factor;
  seen.max = larger;
  // <<< blank rescale
}
// endregion move

// region scores
/// The scores of a tile's keys; slots without a key get -inf. Warps take the keys in turn, lanes share the columns of one.
__device__ void score_tile(const float* query,  // [cols], shared memory, the scale multiplied in
                           const float* keys,   // [count, cols], dense
                           const float* mask,   // [count], or null
                           float* scores,       // [kTile], shared memory
                           int count, int cols) {
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;
  for (int j = warp; j < kTile; j += warps) {
    float score = -INFINITY;
    if (j < count) {  // the same in all lanes of a warp
      float dot = 0.0f;
      for (int col = lane; col < cols; col += kWarpSize) dot += query[col] * keys[static_cast<size_t>(j) * cols + col];
      score = warp_reduce<Sum>(dot);
      if (lane == 0 && mask != nullptr) score += mask[j];
    }
    if (lane == 0) scores[j] = score;
  }
}
// endregion scores

/// What one key weighs before the division, as in lesson 06.
__device__ float weight(float score, float row_max) { return score == -INFINITY ? 0.0f : expf(score - row_max); }

// region kernel
/// Block r computes row r; thread t adds up column t of the output. Lanes beyond the last column help with scores and shuffles.
__global__ void attention_row_kernel(const float* __restrict__ q,     // [rows, cols], dense
                                     const float* __restrict__ k,     // [rows * keys, cols], dense: the keys of row 0, of row 1...
                                     const float* __restrict__ v,     // [rows * keys, cols], dense: a value a key
                                     const float* __restrict__ mask,  // [rows, keys], dense, or null
                                     float* __restrict__ out,         // [rows, cols], dense
                                     int keys, int cols, float scale) {
  __shared__ float query[kMostCols];
  __shared__ float scores[kTile];
  const int lane = threadIdx.x % kWarpSize;
  const int col = threadIdx.x;
  const size_t row = blockIdx.x;
  const float* row_keys = k + row * keys * cols;
  const float* row_values = v + row * keys * cols;
  const float* row_mask = mask == nullptr ? nullptr : mask + row * keys;

  if (col < cols) query[col] = scale * q[row * cols + col];
  __syncthreads();

  Seen seen = {-INFINITY, 0.0f, 0.0f};
  for (int first = 0; first < keys; first += kTile) {
    const int count = min(kTile, keys - first);
    const float* tile_mask = row_mask == nullptr ? nullptr : row_mask + first;
    score_tile(query, row_keys + static_cast<size_t>(first) * cols, tile_mask, scores, count, cols);
    __syncthreads();  // the scores are there
    const float score = scores[lane];
    __syncthreads();  // every warp has them: the next tile may overwrite

    move(seen, fmaxf(seen.max, warp_reduce<Max>(score)));
    const float mine = weight(score, seen.max);  // what key `lane` of the tile weighs
    seen.sum += warp_reduce<Sum>(mine);
    for (int j = 0; j < count; ++j) {
      const float its = __shfl_sync(kAllLanes, mine, j);
      if (col < cols) seen.out += its * row_values[static_cast<size_t>(first + j) * cols + col];
    }
    WATCH(score);
    WATCH(mine);
    WATCH(seen.max);
    WATCH(seen.sum);
    WATCH(seen.out);
  }

  // Only a row whose keys are all hidden has the sum 0: the largest score weighs 1.
  if (col < cols) out[row * cols + col] = seen.sum == 0.0f ? 0.0f : seen.out / seen.sum;
}
// endregion kernel

}  // namespace

/// rows, keys >= 1; cols from 1 to 1024.
cudaError_t launch_attention_row(const float* q, const float* k, const float* v, const float* mask, float* out, int rows, int keys, int cols,
                                 float scale) {
  if (cols > kMostCols) return cudaErrorInvalidValue;
  const int threads = (cols + kWarpSize - 1) / kWarpSize * kWarpSize;  // a warp that is there has all its lanes
  attention_row_kernel<<<rows, threads>>>(q, k, v, mask, out, keys, cols, scale);
  return cudaGetLastError();
}
