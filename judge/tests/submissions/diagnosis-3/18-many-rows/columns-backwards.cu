// mistake-of: centred-in-y
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::kWarpSize;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kRowsPerBlock = 4;
constexpr int kMaxCols = 128;
constexpr int kMaxBlocks = 64;

// One warp, one row, three walks from the last column to the first.
__device__ void normalise_row(const float* x_row, const float* gamma, const float* beta, float* y_row, int cols, float eps) {
  const int start = cols - 1 - static_cast<int>(threadIdx.x % kWarpSize);

  float sum = 0.0f;
  int col = start;
  while (col >= 0) {
    sum += x_row[col];
    col -= kWarpSize;
  }
  const float mean = warp_reduce<Sum>(sum) / cols;

  // y keeps the distances for a moment
  float squares = 0.0f;
  col = start;
  while (col >= 0) {
    const float distance = x_row[col] - mean;
    y_row[col] = distance;
    squares += distance * distance;
    col -= kWarpSize;
  }
  const float scale = rsqrtf(warp_reduce<Sum>(squares) / cols + eps);

  col = start;
  while (col >= 0) {
    float value = (x_row[col] - mean) * scale;
    if (gamma != nullptr) value *= gamma[col];
    if (beta != nullptr) value += beta[col];
    y_row[col] = value;
    col -= kWarpSize;
  }
}

__global__ void layernorm_kernel(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, long long x_stride,
                                 long long y_stride, float eps) {
  long long row = static_cast<long long>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kWarpSize;
  while (row < rows) {
    normalise_row(x + row * x_stride, gamma, beta, y + row * y_stride, cols, eps);
    row += static_cast<long long>(gridDim.x) * kRowsPerBlock;
  }
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, long long x_stride,
                             long long y_stride, float eps) {
  if (cols > kMaxCols) return cudaErrorInvalidValue;
  if (rows == 0) return cudaSuccess;
  const int wanted = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  const int blocks = wanted < kMaxBlocks ? wanted : kMaxBlocks;
  layernorm_kernel<<<blocks, kRowsPerBlock * kWarpSize>>>(x, gamma, beta, y, rows, cols, x_stride, y_stride, eps);
  return cudaGetLastError();
}
