// mistake-of: weight-of-thread
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 64;

__device__ float row_squares(const float* __restrict__ row, int cols, float* partials) {
  float mine = 0.0f;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    const float value = row[col];
    mine += value * value;
    WATCH(mine);
  }
  return block_reduce<Sum>(mine, partials);
}

__global__ void rmsnorm_kernel(const float* __restrict__ x, const float* __restrict__ weight, float* __restrict__ y, int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;

  const float squares = row_squares(x + offset, cols, partials);
  WATCH(squares);
  const float mean_square = squares / cols;
  const float scale = rsqrtf(mean_square + eps);
  WATCH(scale);

  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    y[offset + col] = x[offset + col] * scale * weight[threadIdx.x];
  }
}

}  // namespace

cudaError_t launch_rmsnorm(const float* x, const float* weight, float* y, int rows, int cols, float eps) {
  rmsnorm_kernel<<<rows, kThreads>>>(x, weight, y, cols, eps);
  return cudaGetLastError();
}
