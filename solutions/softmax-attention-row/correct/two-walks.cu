// verdict: AC
// medal: lost
// mistake: the maximum and the sum have a walk of their own: every key is read and scored twice where once will do
// Attention of one query a row by a warp: maximum and sum in a first walk over the keys, the output in a second one that scores them again.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::kWarpSize;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kMostColsALane = 32;  // 1024 columns

/// The score of one key in all lanes of the warp.
__device__ float score_of(const float* query,  // [cols], shared memory
                          const float* key,    // [cols], global memory
                          const float* mask,   // [1], or null
                          int cols, float scale) {
  const int lane = threadIdx.x;
  float dot = 0.0f;
  for (int col = lane; col < cols; col += kWarpSize) dot += query[col] * key[col];
  const float added = mask != nullptr && lane == 0 ? *mask : 0.0f;
  return scale * warp_reduce<Sum>(dot) + __shfl_sync(warpbook::kernel::kAllLanes, added, 0);
}

/// A warp a row.
__global__ void attention_row_kernel(const float* __restrict__ q,     // [rows, cols], dense
                                     const float* __restrict__ k,     // [rows * keys, cols], row stride k_stride
                                     const float* __restrict__ v,     // [rows * keys, cols], row stride v_stride
                                     const float* __restrict__ mask,  // [rows, keys], dense, or null
                                     float* __restrict__ out,         // [rows, cols], dense
                                     int keys, int cols, float scale, long long k_stride, long long v_stride) {
  __shared__ float query[kMostColsALane * kWarpSize];
  const int lane = threadIdx.x;
  const size_t row = blockIdx.x;
  for (int col = lane; col < cols; col += kWarpSize) query[col] = q[row * cols + col];
  __syncwarp();
  const auto score = [&](int j) {
    return score_of(query, k + (row * keys + j) * k_stride, mask == nullptr ? nullptr : mask + row * keys + j, cols, scale);
  };

  float largest = -INFINITY, sum = 0.0f;
  for (int j = 0; j < keys; ++j) {
    const float s = score(j);
    const float larger = fmaxf(largest, s);
    if (s != -INFINITY) sum = sum * expf(largest - larger) + expf(s - larger);
    largest = larger;
  }

  float total[kMostColsALane];
#pragma unroll
  for (int i = 0; i < kMostColsALane; ++i) total[i] = 0.0f;
  for (int j = 0; j < keys; ++j) {
    const float s = score(j);
    const float weight = s == -INFINITY ? 0.0f : expf(s - largest) / sum;
    const float* value = v + (row * keys + j) * v_stride;
#pragma unroll
    for (int i = 0; i < kMostColsALane; ++i) {
      if (i * kWarpSize + lane < cols) total[i] += weight * value[i * kWarpSize + lane];
    }
  }
#pragma unroll
  for (int i = 0; i < kMostColsALane; ++i) {
    if (i * kWarpSize + lane < cols) out[row * cols + i * kWarpSize + lane] = total[i];
  }
}

}  // namespace

cudaError_t launch_attention_row(const float* q, const float* k, const float* v, const float* mask, float* out, int rows, int keys, int cols,
                                 float scale, long long k_stride, long long v_stride) {
  if (cols > kMostColsALane * kWarpSize) return cudaErrorInvalidValue;
  attention_row_kernel<<<rows, kWarpSize>>>(q, k, v, mask, out, keys, cols, scale, k_stride, v_stride);
  return cudaGetLastError();
}
