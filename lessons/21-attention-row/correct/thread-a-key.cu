// verdict: AC
// Attention of one query a row in tiles of 128 keys: each thread scores a key of its own by a whole dot product, in base 2, and the block
// moves what it has only when the maximum grew, a branch that all threads take together. No shuffle: weights go through shared memory.
// Neighbouring lanes read keys that lie a head apart, so a request touches 32 sectors where the solution's touches 4; caches may heal that.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kTile = 128;  // and as many threads
constexpr int kMostCols = 1024;
constexpr float kLog2E = 1.44269504f;

__global__ void attention_row_kernel(const float* __restrict__ q,     // [rows, cols], dense
                                     const float* __restrict__ k,     // [rows * keys, cols], dense
                                     const float* __restrict__ v,     // [rows * keys, cols], dense
                                     const float* __restrict__ mask,  // [rows, keys], dense, or null
                                     float* __restrict__ out,         // [rows, cols], dense
                                     int keys, int cols, float scale) {
  __shared__ float query[kMostCols];   // in units of log2
  __shared__ float output[kMostCols];  // every thread moves and adds to the columns that are its own
  __shared__ float weights[kTile];
  __shared__ float partials[kMaxWarps];
  const size_t row = blockIdx.x;
  for (int col = threadIdx.x; col < cols; col += kTile) {
    query[col] = q[row * cols + col] * scale * kLog2E;
    output[col] = 0.0f;
  }
  __syncthreads();

  float largest = -INFINITY, sum = 0.0f;
  for (int first = 0; first < keys; first += kTile) {
    const int j = first + threadIdx.x;
    float score = -INFINITY;
    if (j < keys) {
      const float* key = k + (row * keys + j) * cols;
      score = mask == nullptr ? 0.0f : mask[row * keys + j] * kLog2E;
      for (int col = 0; col < cols; ++col) score += query[col] * key[col];
    }
    const float tile_max = block_reduce<Max>(score, partials);
    if (tile_max == -INFINITY) continue;  // the same in all threads
    if (tile_max > largest) {             // so is this
      const float factor = exp2f(largest - tile_max);
      for (int col = threadIdx.x; col < cols; col += kTile) output[col] *= factor;
      sum *= factor;
      largest = tile_max;
    }
    weights[threadIdx.x] = exp2f(score - largest);  // 0 for a key that is hidden or not there
    sum += block_reduce<Sum>(weights[threadIdx.x], partials);
    const int count = min(kTile, keys - first);
    for (int col = threadIdx.x; col < cols; col += kTile) {
      for (int i = 0; i < count; ++i) output[col] += weights[i] * v[(row * keys + first + i) * cols + col];
    }
    __syncthreads();  // the weights are used up
  }
  for (int col = threadIdx.x; col < cols; col += kTile) out[row * cols + col] = sum == 0.0f ? 0.0f : output[col] / sum;
}

}  // namespace

cudaError_t launch_attention_row(const float* q, const float* k, const float* v, const float* mask, float* out, int rows, int keys, int cols,
                                 float scale) {
  if (cols > kMostCols) return cudaErrorInvalidValue;
  attention_row_kernel<<<rows, kTile>>>(q, k, v, mask, out, keys, cols, scale);
  return cudaGetLastError();
}
