// verdict: WA
// reason: value
// cases: longest, long-in-place
// mistake: the squared distances of the chunks are added up as they are, but they are distances from the chunks' means, not from the row's
// question: from which mean are the distances that your second kernel adds up?
// Long rows in chunks of 8192 columns, whose moments a second kernel merges.
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

/// Block (row, c) leaves mean and squared distances of chunk c.
__global__ void moments_kernel(const float* x,   // [rows, cols], row stride x_stride
                               float2* moments,  // [rows, chunks]
                               int cols, long long x_stride) {
  __shared__ float partials[kMaxWarps];
  const int first = blockIdx.y * kChunkCols;
  const int count = min(kChunkCols, cols - first);
  const float* chunk = x + blockIdx.x * x_stride + first;
  float sum = 0.0f;
  for (int col = threadIdx.x; col < count; col += kThreads) sum += chunk[col];
  const float mean = block_reduce<Sum>(sum, partials) / count;
  float squares = 0.0f;
  for (int col = threadIdx.x; col < count; col += kThreads) squares += (chunk[col] - mean) * (chunk[col] - mean);
  squares = block_reduce<Sum>(squares, partials);
  if (threadIdx.x == 0) moments[blockIdx.x * gridDim.y + blockIdx.y] = make_float2(mean, squares);
}

/// Block (row, c) merges the row's moments and writes chunk c.
__global__ void from_moments_kernel(const float* x,         // [rows, cols], row stride x_stride
                                    const float2* moments,  // [rows, chunks]
                                    const float* gamma,     // [cols] or null
                                    const float* beta,      // [cols] or null
                                    float* y,               // [rows, cols], row stride y_stride; may be x
                                    int cols, long long x_stride, long long y_stride, float eps) {
  const float2* of_row = moments + blockIdx.x * gridDim.y;
  const float* x_row = x + blockIdx.x * x_stride;
  float* y_row = y + blockIdx.x * y_stride;
  const int chunks = gridDim.y;

  float mean = 0.0f;
  float squares = 0.0f;
  for (int c = 0; c < chunks; ++c) {
    mean += of_row[c].x * min(kChunkCols, cols - c * kChunkCols);
    squares += of_row[c].y;
  }
  mean /= cols;
  const float scale = rsqrtf(squares / cols + eps);

  const int end = min(cols, static_cast<int>(blockIdx.y + 1) * kChunkCols);
  for (int col = blockIdx.y * kChunkCols + threadIdx.x; col < end; col += kThreads) {
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
  float2* moments = nullptr;  // [rows, chunks]
  WARPBOOK_TRY(cudaMallocAsync(&moments, sizeof(float2) * grid.x * grid.y, 0));
  moments_kernel<<<grid, kThreads>>>(x, moments, cols, x_stride);
  from_moments_kernel<<<grid, kThreads>>>(x, moments, gamma, beta, y, cols, x_stride, y_stride, eps);
  cudaError_t status = cudaGetLastError();
  cudaFreeAsync(moments, 0);
  return status;
}
