// mistake-of: gaps-hold-zero
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::kWarpSize;

constexpr int kRowsPerBlock = 4;

struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Plus {
  __device__ float operator()(float a, float b) const { return a + b; }
};

// A tree in 32 floats of shared memory that belong to this warp; the upper half comes down to the lower.
template <class Combine>
__device__ float warp_tree(float mine, float* tree, int lane, Combine combine) {
  tree[lane] = mine;
  __syncwarp();
  for (int half = kWarpSize / 2; half > 0; half /= 2) {
    if (lane < half) tree[lane] = combine(tree[lane], tree[lane + half]);
    __syncwarp();
  }
  const float result = tree[0];
  __syncwarp();
  return result;
}

template <int kHeld>
__global__ void __launch_bounds__(kRowsPerBlock* kWarpSize) softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int rows,
                                                                           int cols) {
  __shared__ float trees[kRowsPerBlock][kWarpSize];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int row = blockIdx.x * kRowsPerBlock + warp;
  if (row >= rows) return;
  const float* logits = x + static_cast<size_t>(row) * cols;
  float* probabilities = y + static_cast<size_t>(row) * cols;

  float held[kHeld];
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    held[i] = 0.0f;
    if (lane + i * kWarpSize < cols) held[i] = logits[lane + i * kWarpSize];
  }

  float largest = held[0];
#pragma unroll
  for (int i = 1; i < kHeld; ++i) largest = fmaxf(largest, held[i]);
  const float row_max = warp_tree(largest, trees[warp], lane, Larger());

  float weights = 0.0f;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    held[i] = held[i] == -INFINITY ? 0.0f : expf(held[i] - row_max);
    weights += held[i];
  }
  const float total = warp_tree(weights, trees[warp], lane, Plus());

#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = lane + i * kWarpSize;
    if (col < cols) probabilities[col] = total == 0.0f ? 0.0f : held[i] / total;
  }
}

template <int kHeld>
cudaError_t launch(const float* x, float* y, int rows, int cols) {
  const int blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  softmax_kernel<kHeld><<<blocks, kRowsPerBlock * kWarpSize>>>(x, y, rows, cols);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols <= 4 * kWarpSize) return launch<4>(x, y, rows, cols);
  if (cols <= 8 * kWarpSize) return launch<8>(x, y, rows, cols);
  if (cols <= 32 * kWarpSize) return launch<32>(x, y, rows, cols);
  return cudaErrorInvalidValue;
}
