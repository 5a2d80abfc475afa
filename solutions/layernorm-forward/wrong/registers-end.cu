// verdict: WA
// reason: unwritten, value
// cases: long, longest, long-in-place, no-memory, no-permission
// mistake: columns beyond what the registers hold are neither counted nor written
// question: how long may a row be before your registers are full, and what happens to the rest?
// Twelve registers a thread hold the row, which is 12,288 columns.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 1024;
constexpr int kHeld = 12;

__global__ void __launch_bounds__(kThreads) layernorm_kernel(const float* x,      // [rows, cols], row stride x_stride
                                                             const float* gamma,  // [cols] or null
                                                             const float* beta,   // [cols] or null
                                                             float* y,            // [rows, cols], row stride y_stride; may be x
                                                             int rows, int cols, long long x_stride, long long y_stride, float eps) {
  __shared__ float partials[kMaxWarps];
  const float* x_row = x + blockIdx.x * x_stride;
  float* y_row = y + blockIdx.x * y_stride;

  float held[kHeld];
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    held[i] = col < cols ? x_row[col] : 0.0f;
    sum += held[i];
  }
  const float mean = block_reduce<Sum>(sum, partials) / cols;
  float squares = 0.0f;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const float distance = threadIdx.x + i * kThreads < cols ? held[i] - mean : 0.0f;
    squares += distance * distance;
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    if (col < cols) y_row[col] = (held[i] - mean) * scale * (gamma ? gamma[col] : 1.0f) + (beta ? beta[col] : 0.0f);
  }
}

}  // namespace

cudaError_t launch_layernorm(const float* x,      // [rows, cols], row stride x_stride
                             const float* gamma,  // [cols] or null
                             const float* beta,   // [cols] or null
                             float* y,            // [rows, cols], row stride y_stride; may be x
                             int rows, int cols, long long x_stride, long long y_stride, float eps) {
  if (rows == 0) return cudaSuccess;
  layernorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, rows, cols, x_stride, y_stride, eps);
  return cudaGetLastError();
}
