// verdict: AC
// LayerNorm with a block for each row and a loop over rows: the reductions use barriers, so all threads of the block take the same number
// of turns. The row stands in shared memory between reading and writing, which also makes y = x safe.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 64;
constexpr int kMaxCols = 128;
constexpr int kMaxBlocks = 108;

__global__ void layernorm_kernel(const float* x,      // [rows, cols], row stride x_stride
                                 const float* gamma,  // [cols] or null
                                 const float* beta,   // [cols] or null
                                 float* y,            // [rows, cols], row stride y_stride; may be x
                                 int rows, int cols, long long x_stride, long long y_stride, float eps) {
  __shared__ float partials[kMaxWarps];
  __shared__ float staged[kMaxCols];
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    // A thread only ever reads back what it wrote itself: no barrier is needed for the row.
    float sum = 0.0f;
    for (int col = threadIdx.x; col < cols; col += kThreads) {
      staged[col] = x[row * x_stride + col];
      sum += staged[col];
    }
    const float mean = block_reduce<Sum>(sum, partials) / cols;
    float squares = 0.0f;
    for (int col = threadIdx.x; col < cols; col += kThreads) squares += (staged[col] - mean) * (staged[col] - mean);
    const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
    for (int col = threadIdx.x; col < cols; col += kThreads) {
      float value = (staged[col] - mean) * scale;
      if (gamma != nullptr) value *= gamma[col];
      if (beta != nullptr) value += beta[col];
      y[row * y_stride + col] = value;
    }
  }
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, long long x_stride,
                             long long y_stride, float eps) {
  if (cols > kMaxCols) return cudaErrorInvalidValue;
  if (rows == 0) return cudaSuccess;
  layernorm_kernel<<<rows < kMaxBlocks ? rows : kMaxBlocks, kThreads>>>(x, gamma, beta, y, rows, cols, x_stride, y_stride, eps);
  return cudaGetLastError();
}
