// verdict: AC
// Attention of one query a row without tiles: each of four warps walks over every fourth key with a maximum, a sum and an output of its
// own, and at the end the four triples merge as the pairs of lesson 11 do. No barrier in the walk. The same merge puts together the parts
// of a row that several blocks share.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::kAllLanes;
using warpbook::kernel::kWarpSize;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kWarps = 4;
constexpr int kMostColsALane = 32;
constexpr int kMostCols = kMostColsALane * kWarpSize;

__global__ void attention_row_kernel(const float* __restrict__ q,     // [rows, cols], dense
                                     const float* __restrict__ k,     // [rows * keys, cols], dense
                                     const float* __restrict__ v,     // [rows * keys, cols], dense
                                     const float* __restrict__ mask,  // [rows, keys], dense, or null
                                     float* __restrict__ out,         // [rows, cols], dense
                                     int keys, int cols, float scale) {
  __shared__ float query[kMostCols];
  __shared__ float maxima[kWarps], sums[kWarps];
  __shared__ float outputs[kWarps][kMostCols];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const size_t row = blockIdx.x;
  for (int col = threadIdx.x; col < cols; col += kWarps * kWarpSize) query[col] = q[row * cols + col];
  for (int col = lane; col < cols; col += kWarpSize) outputs[warp][col] = 0.0f;
  __syncthreads();

  float largest = -INFINITY, sum = 0.0f;
  for (int j = warp; j < keys; j += kWarps) {
    const float* key = k + (row * keys + j) * cols;
    const float* value = v + (row * keys + j) * cols;
    float dot = 0.0f;
    for (int col = lane; col < cols; col += kWarpSize) dot += query[col] * key[col];
    const float added = mask != nullptr && lane == 0 ? mask[row * keys + j] : 0.0f;
    const float score = scale * warp_reduce<Sum>(dot) + __shfl_sync(kAllLanes, added, 0);
    if (score == -INFINITY) continue;  // hidden: its value need not be read
    const float larger = fmaxf(largest, score);
    const float factor = expf(largest - larger), weight = expf(score - larger);
    sum = sum * factor + weight;
    largest = larger;
    for (int col = lane; col < cols; col += kWarpSize) outputs[warp][col] = outputs[warp][col] * factor + weight * value[col];
  }
  if (lane == 0) {
    maxima[warp] = largest;
    sums[warp] = sum;
  }
  __syncthreads();

  float row_max = -INFINITY, row_sum = 0.0f;
  for (int w = 0; w < kWarps; ++w) row_max = fmaxf(row_max, maxima[w]);
  const auto share = [&](int w) { return maxima[w] == -INFINITY ? 0.0f : expf(maxima[w] - row_max); };
  for (int w = 0; w < kWarps; ++w) row_sum += share(w) * sums[w];
  for (int col = threadIdx.x; col < cols; col += kWarps * kWarpSize) {
    float total = 0.0f;
    for (int w = 0; w < kWarps; ++w) total += share(w) * outputs[w][col];
    out[row * cols + col] = row_sum == 0.0f ? 0.0f : total / row_sum;
  }
}

}  // namespace

cudaError_t launch_attention_row(const float* q, const float* k, const float* v, const float* mask, float* out, int rows, int keys, int cols,
                                 float scale) {
  if (cols > kMostCols) return cudaErrorInvalidValue;
  attention_row_kernel<<<rows, kWarps * kWarpSize>>>(q, k, v, mask, out, keys, cols, scale);
  return cudaGetLastError();
}
