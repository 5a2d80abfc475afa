// verdict: RTE
// reason: race
// cases: long-in-place
// mistake: the chunks' moments wait at the head of their chunk in y, which is about to be overwritten; when y is x, they overwrite what is still to be read
// question: when y is x: what stands at the first two columns of your chunk after the first kernel?
// Long rows in chunks of 8192 columns; each block leaves its moments at the head of every chunk of y, as one can for softmax.
#include <cuda_runtime.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;
constexpr int kChunkCols = 8192;

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
  for (int col = threadIdx.x; col < cols; col += kThreads) squares += (x_row[col] - mean) * (x_row[col] - mean);
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
  for (int col = threadIdx.x; col < cols; col += kThreads)
    y_row[col] = (x_row[col] - mean) * scale * (gamma ? gamma[col] : 1.0f) + (beta ? beta[col] : 0.0f);
}

/// Block (row, c) leaves mean and squared distances of chunk c at slot c of the head of every chunk of y.
__global__ void moments_kernel(const float* x,  // [rows, cols], row stride x_stride
                               float* y,        // [rows, cols], row stride y_stride
                               int cols, long long x_stride, long long y_stride) {
  __shared__ float partials[kMaxWarps];
  const int length = (cols - 1) / static_cast<int>(gridDim.y) + 1;
  const int first = blockIdx.y * length;
  const int count = min(length, cols - first);
  const float* chunk = x + blockIdx.x * x_stride + first;
  float sum = 0.0f;
  for (int col = threadIdx.x; col < count; col += kThreads) sum += chunk[col];
  const float mean = block_reduce<Sum>(sum, partials) / count;
  float squares = 0.0f;
  for (int col = threadIdx.x; col < count; col += kThreads) squares += (chunk[col] - mean) * (chunk[col] - mean);
  squares = block_reduce<Sum>(squares, partials);
  if (threadIdx.x >= gridDim.y) return;
  float* head = y + blockIdx.x * y_stride + threadIdx.x * length;
  head[2 * blockIdx.y] = mean;
  head[2 * blockIdx.y + 1] = squares;
}

/// Block (row, c) merges the row's moments and writes chunk c.
__global__ void from_moments_kernel(const float* x,      // [rows, cols], row stride x_stride
                                    const float* gamma,  // [cols] or null
                                    const float* beta,   // [cols] or null
                                    float* y,            // [rows, cols], row stride y_stride
                                    int cols, long long x_stride, long long y_stride, float eps) {
  const int chunks = gridDim.y;
  const int length = (cols - 1) / chunks + 1;
  const int first = blockIdx.y * length;
  const float* x_row = x + blockIdx.x * x_stride;
  float* y_row = y + blockIdx.x * y_stride;
  const float* head = y_row + first;

  float mean = 0.0f;
  for (int c = 0; c < chunks; ++c) mean += head[2 * c] * min(length, cols - c * length);
  mean /= cols;
  float squares = 0.0f;
  for (int c = 0; c < chunks; ++c) {
    const float distance = head[2 * c] - mean;
    squares += head[2 * c + 1] + distance * distance * min(length, cols - c * length);
  }
  const float scale = rsqrtf(squares / cols + eps);
  __syncthreads();  // all have read the head
  for (int col = first + threadIdx.x; col < min(cols, first + length); col += kThreads) {
    y_row[col] = (x_row[col] - mean) * scale * (gamma ? gamma[col] : 1.0f) + (beta ? beta[col] : 0.0f);
  }
}

}  // namespace

cudaError_t launch_layernorm(const float* x,      // [rows, cols], row stride x_stride
                             const float* gamma,  // [cols] or null
                             const float* beta,   // [cols] or null
                             float* y,            // [rows, cols], row stride y_stride; may be x
                             int rows, int cols, long long x_stride, long long y_stride, float eps) {
  if (rows == 0) return cudaSuccess;
  if (cols <= 5 * kChunkCols) {
    layernorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, rows, cols, x_stride, y_stride, eps);
    return cudaGetLastError();
  }
  const dim3 grid(rows, (cols - 1) / kChunkCols + 1);
  moments_kernel<<<grid, kThreads>>>(x, y, cols, x_stride, y_stride);
  WARPBOOK_TRY(cudaGetLastError());
  from_moments_kernel<<<grid, kThreads>>>(x, gamma, beta, y, cols, x_stride, y_stride, eps);
  return cudaGetLastError();
}
