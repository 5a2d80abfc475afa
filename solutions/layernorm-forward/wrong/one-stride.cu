// verdict: RTE, WA
// reason: out-of-bounds, out-of-zone-write, unwritten
// cases: strided, odd-stride
// mistake: rows of y are taken to lie as far apart as rows of x
// question: which of the two strides does y_row use?
// A block a row, three walks.
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
  const long long offset = blockIdx.x * x_stride;
  const float* x_row = x + offset;
  float* y_row = y + offset;

  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) sum += x_row[col];
  const float mean = block_reduce<Sum>(sum, partials) / cols;
  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) squares += (x_row[col] - mean) * (x_row[col] - mean);
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
  for (int col = threadIdx.x; col < cols; col += kThreads)
    y_row[col] = (x_row[col] - mean) * scale * (gamma ? gamma[col] : 1.0f) + (beta ? beta[col] : 0.0f);
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
