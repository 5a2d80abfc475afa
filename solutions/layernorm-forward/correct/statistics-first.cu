// verdict: AC
// medal: lost
// mistake: mean and scale of all rows first, then a kernel over all elements: nothing waits on chip, and x is read three times
// Two kernels: a warp a row finds mean and scale, then a grid over all elements applies them. The elements are spread evenly whatever the
// rows' length, and x is read three times.
#include <cuda_runtime.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::kWarpSize;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kThreads = 256;
constexpr int kRowsPerBlock = kThreads / kWarpSize;

__global__ void statistics_kernel(const float* x,   // [rows, cols], row stride x_stride
                                  float2* rows_of,  // [rows], mean and scale
                                  int rows, int cols, long long x_stride, float eps) {
  const int lane = threadIdx.x % kWarpSize;
  const int row = blockIdx.x * kRowsPerBlock + threadIdx.x / kWarpSize;
  if (row >= rows) return;
  const float* x_row = x + row * x_stride;
  float sum = 0.0f;
  for (int col = lane; col < cols; col += kWarpSize) sum += x_row[col];
  const float mean = warp_reduce<Sum>(sum) / cols;
  float squares = 0.0f;
  for (int col = lane; col < cols; col += kWarpSize) squares += (x_row[col] - mean) * (x_row[col] - mean);
  const float scale = rsqrtf(warp_reduce<Sum>(squares) / cols + eps);
  if (lane == 0) rows_of[row] = make_float2(mean, scale);
}

__global__ void apply_kernel(const float* x,         // [rows, cols], row stride x_stride
                             const float2* rows_of,  // [rows], mean and scale
                             const float* gamma,     // [cols] or null
                             const float* beta,      // [cols] or null
                             float* y,               // [rows, cols], row stride y_stride; may be x
                             int rows, int cols, long long x_stride, long long y_stride) {
  const long long index = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  if (index >= static_cast<long long>(rows) * cols) return;
  const long long row = index / cols;
  const int col = static_cast<int>(index % cols);
  const float normalised = (x[row * x_stride + col] - rows_of[row].x) * rows_of[row].y;
  y[row * y_stride + col] = normalised * (gamma ? gamma[col] : 1.0f) + (beta ? beta[col] : 0.0f);
}

}  // namespace

cudaError_t launch_layernorm(const float* x,      // [rows, cols], row stride x_stride
                             const float* gamma,  // [cols] or null
                             const float* beta,   // [cols] or null
                             float* y,            // [rows, cols], row stride y_stride; may be x
                             int rows, int cols, long long x_stride, long long y_stride, float eps) {
  if (rows == 0) return cudaSuccess;
  float2* rows_of = nullptr;  // [rows]
  WARPBOOK_TRY(cudaMallocAsync(&rows_of, rows * sizeof(float2), 0));
  statistics_kernel<<<(rows - 1) / kRowsPerBlock + 1, kThreads>>>(x, rows_of, rows, cols, x_stride, eps);
  cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) {
    const long long elements = static_cast<long long>(rows) * cols;
    apply_kernel<<<static_cast<unsigned>((elements - 1) / kThreads + 1), kThreads>>>(x, rows_of, gamma, beta, y, rows, cols, x_stride,
                                                                                     y_stride);
    status = cudaGetLastError();
  }
  const cudaError_t freed = cudaFreeAsync(rows_of, 0);
  return status != cudaSuccess ? status : freed;
}
