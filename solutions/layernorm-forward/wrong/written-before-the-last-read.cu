// verdict: WA
// reason: value
// cases: in-place, long-in-place
// mistake: each walk normalises a column further and leaves it in y, and the next one starts from x: when y is x, the mean is subtracted twice
// question: when y is x: what does x hold after your second walk?
// A block a row; the distances are written to y on the way.
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

  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) sum += x_row[col];
  const float mean = block_reduce<Sum>(sum, partials) / cols;
  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float distance = x_row[col] - mean;
    y_row[col] = distance;
    squares += distance * distance;
  }
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
