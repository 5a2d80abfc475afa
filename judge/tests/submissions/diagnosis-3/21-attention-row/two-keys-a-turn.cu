// mistake-of: maximum-of-the-tile
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using namespace warpbook::kernel;

constexpr int kTile = 32;
constexpr int kMostCols = 1024;

__global__ void attention_row_kernel(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                                     const float* __restrict__ mask, float* __restrict__ out, int keys, int cols, float scale) {
  __shared__ float query[kMostCols];
  __shared__ float scores[kTile];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;
  const int col = threadIdx.x;
  const bool has_column = col < cols;
  q += static_cast<size_t>(blockIdx.x) * cols;
  out += static_cast<size_t>(blockIdx.x) * cols;
  k += static_cast<size_t>(blockIdx.x) * keys * cols;
  v += static_cast<size_t>(blockIdx.x) * keys * cols;
  if (mask != nullptr) mask += static_cast<size_t>(blockIdx.x) * keys;

  if (has_column) query[col] = scale * q[col];
  __syncthreads();

  float max = -INFINITY, sum = 0.0f, result = 0.0f;
  int left = keys;
  while (left > 0) {
    const int count = min(kTile, left);

    // scores of the tile
    int j = warp;
    while (j < kTile) {
      float score = -INFINITY;
      if (j < count) {
        const float* key = k + static_cast<size_t>(j) * cols;
        float even = 0.0f, odd = 0.0f;
        int c = lane;
        while (c + kWarpSize < cols) {
          even += query[c] * key[c];
          odd += query[c + kWarpSize] * key[c + kWarpSize];
          c += 2 * kWarpSize;
        }
        if (c < cols) even += query[c] * key[c];
        score = warp_reduce<Sum>(even + odd);
        if (mask != nullptr) score += mask[j];
      }
      if (lane == 0) scores[j] = score;
      j += warps;
    }
    __syncthreads();
    const float score = scores[lane];
    __syncthreads();

    // move what is there
    const float tile_max = warp_reduce<Max>(score);
    const float next = tile_max;
    if (next != -INFINITY) {
      const float factor = expf(max - next);
      sum *= factor;
      result *= factor;
      max = next;
    }
    const float mine = score == -INFINITY ? 0.0f : expf(score - max);
    sum += warp_reduce<Sum>(mine);

    // add the values, two keys a turn
    j = 0;
    while (j + 1 < count) {
      const float w0 = __shfl_sync(kAllLanes, mine, j);
      const float w1 = __shfl_sync(kAllLanes, mine, j + 1);
      if (has_column) {
        result += w0 * v[static_cast<size_t>(j) * cols + col];
        result += w1 * v[static_cast<size_t>(j + 1) * cols + col];
      }
      j += 2;
    }
    if (j < count) {
      const float w = __shfl_sync(kAllLanes, mine, j);
      if (has_column) result += w * v[static_cast<size_t>(j) * cols + col];
    }

    // on to the next tile
    left -= count;
    k += static_cast<size_t>(count) * cols;
    v += static_cast<size_t>(count) * cols;
    if (mask != nullptr) mask += count;
  }

  if (has_column) out[col] = sum == 0.0f ? 0.0f : result / sum;
}

}  // namespace

cudaError_t launch_attention_row(const float* q, const float* k, const float* v, const float* mask, float* out, int rows, int keys,
                                 int cols, float scale) {
  if (cols > kMostCols) return cudaErrorInvalidValue;
  const int threads = (cols + 31) / 32 * 32;
  attention_row_kernel<<<rows, threads>>>(q, k, v, mask, out, keys, cols, scale);
  return cudaGetLastError();
}
