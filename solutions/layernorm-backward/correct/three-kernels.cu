// verdict: AC
// medal: lost
// mistake: statistics, column sums and dx come from three kernels, and x is read four times where one read will do
// Three kernels, one for each thing that is wanted: right on every shape, and x is read four times.
#include <cuda_runtime.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

struct Arguments {
  const float* x;      // [rows, cols], row stride x_stride
  const float* gamma;  // [cols] or null
  const float* dy;     // [rows, cols], row stride dy_stride
  float* dx;           // [rows, cols], row stride dx_stride; may be dy
  float* dgamma;       // [cols] or null
  float* dbeta;        // [cols] or null
  int rows, cols;
  long long x_stride, dy_stride, dx_stride;
  float eps;

  __device__ float g(const float* dy_row, int col) const { return gamma ? dy_row[col] * gamma[col] : dy_row[col]; }
};

constexpr int kThreads = 256;

/// What the other kernels need of a row.
struct Row {
  float mean, scale, mean_g, mean_gr;
};

/// Block r finds it for row r.
__global__ void statistics_kernel(Arguments a, Row* of_rows) {  // [rows]
  __shared__ float partials[kMaxWarps];
  const float* x_row = a.x + blockIdx.x * a.x_stride;
  const float* dy_row = a.dy + blockIdx.x * a.dy_stride;

  float sum = 0.0f;
  for (int col = threadIdx.x; col < a.cols; col += kThreads) sum += x_row[col];
  const float mean = block_reduce<Sum>(sum, partials) / a.cols;
  float squares = 0.0f;
  for (int col = threadIdx.x; col < a.cols; col += kThreads) squares += (x_row[col] - mean) * (x_row[col] - mean);
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / a.cols + a.eps);

  float sum_g = 0.0f;
  float sum_gr = 0.0f;
  for (int col = threadIdx.x; col < a.cols; col += kThreads) {
    const float g = a.g(dy_row, col);
    sum_g += g;
    sum_gr += g * (x_row[col] - mean) * scale;
  }
  const float mean_g = block_reduce<Sum>(sum_g, partials) / a.cols;
  const float mean_gr = block_reduce<Sum>(sum_gr, partials) / a.cols;
  if (threadIdx.x == 0) of_rows[blockIdx.x] = {mean, scale, mean_g, mean_gr};
}

/// A thread a column, down all rows.
__global__ void columns_kernel(Arguments a, const Row* of_rows) {  // [rows]
  const int col = blockIdx.x * kThreads + threadIdx.x;
  if (col >= a.cols) return;
  float dgamma = 0.0f;
  float dbeta = 0.0f;
  for (int row = 0; row < a.rows; ++row) {
    const float dy = a.dy[row * a.dy_stride + col];
    const float r = (a.x[row * a.x_stride + col] - of_rows[row].mean) * of_rows[row].scale;
    dgamma += dy * r;
    dbeta += dy;
  }
  if (a.dgamma) a.dgamma[col] = dgamma;
  if (a.dbeta) a.dbeta[col] = dbeta;
}

/// Block r writes row r of dx.
__global__ void dx_kernel(Arguments a, const Row* of_rows) {  // [rows]
  const Row row = of_rows[blockIdx.x];
  const float* x_row = a.x + blockIdx.x * a.x_stride;
  const float* dy_row = a.dy + blockIdx.x * a.dy_stride;
  float* dx_row = a.dx + blockIdx.x * a.dx_stride;
  for (int col = threadIdx.x; col < a.cols; col += kThreads) {
    const float r = (x_row[col] - row.mean) * row.scale;
    dx_row[col] = (a.g(dy_row, col) - row.mean_g - r * row.mean_gr) * row.scale;
  }
}

}  // namespace

cudaError_t launch_layernorm_backward(const float* x,      // [rows, cols], row stride x_stride
                                      const float* gamma,  // [cols] or null
                                      const float* dy,     // [rows, cols], row stride dy_stride
                                      float* dx,           // [rows, cols], row stride dx_stride; may be dy
                                      float* dgamma,       // [cols] or null
                                      float* dbeta,        // [cols] or null
                                      int rows, int cols, long long x_stride, long long dy_stride, long long dx_stride, float eps) {
  const Arguments a = {x, gamma, dy, dx, dgamma, dbeta, rows, cols, x_stride, dy_stride, dx_stride, eps};
  const int column_blocks = (cols - 1) / kThreads + 1;
  if (rows == 0) {
    columns_kernel<<<column_blocks, kThreads>>>(a, nullptr);
    return cudaGetLastError();
  }
  Row* of_rows = nullptr;  // [rows]
  WARPBOOK_TRY(cudaMallocAsync(&of_rows, rows * sizeof(Row), 0));
  statistics_kernel<<<rows, kThreads>>>(a, of_rows);
  cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) columns_kernel<<<column_blocks, kThreads>>>(a, of_rows);  // before dx, which may be dy
  if (status == cudaSuccess) status = cudaGetLastError();
  if (status == cudaSuccess) dx_kernel<<<rows, kThreads>>>(a, of_rows);
  if (status == cudaSuccess) status = cudaGetLastError();
  const cudaError_t freed = cudaFreeAsync(of_rows, 0);
  return status != cudaSuccess ? status : freed;
}
