// mistake-of: mask-scaled
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

constexpr int kTile = kWarpSize;
constexpr int kMostCols = 1024;
constexpr int kStep = 128;  // the block is a multiple of this

/// What a thread knows of the keys seen so far.
struct Seen {
  float max;
  float sum;
  float out;
};

/// All that was seen from seen.max, as seen from `larger`.
__device__ void move(Seen& seen, float larger) {
  if (larger == -INFINITY) return;
  const float factor = expf(seen.max - larger);
  seen.sum *= factor;
  seen.out *= factor;
  seen.max = larger;
}

/// The scores of a tile's keys; slots without a key get -inf. Warps take the keys in turn.
__device__ void score_tile(const float* query, const float* keys, const float* mask, float* scores, int count, int cols, float scale) {
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;
  for (int j = warp; j < kTile; j += warps) {
    float score = -INFINITY;
    if (j < count) {
      float dot = 0.0f;
      for (int col = lane; col < cols; col += kWarpSize) dot += query[col] * keys[static_cast<size_t>(j) * cols + col];
      const float bias = mask != nullptr ? mask[j] : 0.0f;
      score = scale * (warp_reduce<Sum>(dot) + bias);
    }
    if (lane == 0) scores[j] = score;
  }
}

__device__ float weight(float score, float row_max) { return score == -INFINITY ? 0.0f : expf(score - row_max); }

/// Block r computes row r; thread t adds up column t of the output.
__global__ void attention_row_kernel(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                                     const float* __restrict__ mask, float* __restrict__ out, int keys, int cols, float scale) {
  __shared__ float query[kMostCols];
  __shared__ float scores[kTile];
  const int lane = threadIdx.x % kWarpSize;
  const int col = threadIdx.x;
  const size_t row = blockIdx.x;
  const float* row_keys = k + row * keys * cols;
  const float* row_values = v + row * keys * cols;
  const float* row_mask = mask == nullptr ? nullptr : mask + row * keys;

  if (col < cols) query[col] = q[row * cols + col];
  __syncthreads();

  Seen seen = {-INFINITY, 0.0f, 0.0f};
  for (int first = 0; first < keys; first += kTile) {
    const int count = min(kTile, keys - first);
    const float* tile_mask = row_mask == nullptr ? nullptr : row_mask + first;
    score_tile(query, row_keys + static_cast<size_t>(first) * cols, tile_mask, scores, count, cols, scale);
    __syncthreads();
    const float score = scores[lane];
    __syncthreads();

    move(seen, fmaxf(seen.max, warp_reduce<Max>(score)));
    const float mine = weight(score, seen.max);
    seen.sum += warp_reduce<Sum>(mine);
    for (int j = 0; j < count; ++j) {
      const float its = __shfl_sync(kAllLanes, mine, j);
      if (col < cols) seen.out += its * row_values[static_cast<size_t>(first + j) * cols + col];
    }
    WATCH(score);
    WATCH(seen.max);
    WATCH(seen.sum);
    WATCH(seen.out);
  }

  if (col < cols) out[row * cols + col] = seen.sum == 0.0f ? 0.0f : seen.out / seen.sum;
}

}  // namespace

/// rows, keys >= 1; cols from 1 to 1024.
cudaError_t launch_attention_row(const float* q, const float* k, const float* v, const float* mask, float* out, int rows, int keys,
                                 int cols, float scale) {
  if (cols > kMostCols) return cudaErrorInvalidValue;
  const int threads = (cols + kStep - 1) / kStep * kStep;
  attention_row_kernel<<<rows, threads>>>(q, k, v, mask, out, keys, cols, scale);
  return cudaGetLastError();
}
