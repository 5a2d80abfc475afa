// verdict: RTE
// reason: out-of-bounds, cuda-error
// cases: channels, odd, widest, one-column, two-values, many-short-rows, far-from-zero, far-and-long, outlier-first, zeros, no-gamma, no-beta, strided, misaligned, odd-stride, weights-off, padded, rows-far-apart, not-a-number, long, longest, long-in-place, no-memory, no-permission
// mistake: the last block has more warps than there are rows left, and nobody sends them away
// question: which row does the last warp of your last block take?
// A warp a row, four rows a block, three walks.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::kWarpSize;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kRowsPerBlock = 4;

__global__ void layernorm_kernel(const float* x,      // [rows, cols], row stride x_stride
                                 const float* gamma,  // [cols] or null
                                 const float* beta,   // [cols] or null
                                 float* y,            // [rows, cols], row stride y_stride; may be x
                                 int rows, int cols, long long x_stride, long long y_stride, float eps) {
  const int lane = threadIdx.x % kWarpSize;
  const long long row = static_cast<long long>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kWarpSize;
  const float* x_row = x + row * x_stride;
  float* y_row = y + row * y_stride;
  float sum = 0.0f;
  for (int col = lane; col < cols; col += kWarpSize) sum += x_row[col];
  const float mean = warp_reduce<Sum>(sum) / cols;
  float squares = 0.0f;
  for (int col = lane; col < cols; col += kWarpSize) squares += (x_row[col] - mean) * (x_row[col] - mean);
  const float scale = rsqrtf(warp_reduce<Sum>(squares) / cols + eps);
  for (int col = lane; col < cols; col += kWarpSize)
    y_row[col] = (x_row[col] - mean) * scale * (gamma ? gamma[col] : 1.0f) + (beta ? beta[col] : 0.0f);
}

}  // namespace

cudaError_t launch_layernorm(const float* x,      // [rows, cols], row stride x_stride
                             const float* gamma,  // [cols] or null
                             const float* beta,   // [cols] or null
                             float* y,            // [rows, cols], row stride y_stride; may be x
                             int rows, int cols, long long x_stride, long long y_stride, float eps) {
  if (rows == 0) return cudaSuccess;
  const int blocks = (rows - 1) / kRowsPerBlock + 1;
  layernorm_kernel<<<blocks, kRowsPerBlock * kWarpSize>>>(x, gamma, beta, y, rows, cols, x_stride, y_stride, eps);
  return cudaGetLastError();
}
