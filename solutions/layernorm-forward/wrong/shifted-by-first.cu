// verdict: WA
// reason: value
// cases: outlier-first
// mistake: the moments are those of x minus the row's first value; when that one is the outlier, they cancel as if nothing had been subtracted
// question: which value of the row do you subtract before squaring, and what if it is unlike all the others?
// Two moments of the row shifted by its first value, so that rows far from zero come near it.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

__global__ void layernorm_kernel(const float* x,      // [rows, cols], row stride x_stride
                                 const float* gamma,  // [cols] or null
                                 const float* beta,   // [cols] or null
                                 float* y,            // [rows, cols], row stride y_stride; may be x
                                 int rows, int cols, long long x_stride, long long y_stride, float eps) {
  __shared__ float partials[kMaxWarps];
  const float* x_row = x + blockIdx.x * x_stride;
  float* y_row = y + blockIdx.x * y_stride;

  const float first = x_row[0];
  __syncthreads();  // when y is x, all have read it before it is written
  float sum = 0.0f;
  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float value = x_row[col] - first;
    sum += value;
    squares += value * value;
  }
  const float shifted_mean = block_reduce<Sum>(sum, partials) / cols;
  const float variance = fmaxf(block_reduce<Sum>(squares, partials) / cols - shifted_mean * shifted_mean, 0.0f);
  const float scale = rsqrtf(variance + eps);
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    y_row[col] = ((x_row[col] - first) - shifted_mean) * scale * (gamma ? gamma[col] : 1.0f) + (beta ? beta[col] : 0.0f);
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
