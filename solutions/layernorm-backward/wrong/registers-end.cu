// verdict: WA
// reason: unwritten, value
// cases: long, longest, long-in-place
// mistake: columns beyond what the registers hold are neither counted nor written
// question: how long may a row be before your registers are full, and what happens to the rest?
// A block a row with the row in registers, 8192 columns; the column sums are added atomically.
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
};

constexpr int kThreads = 512;
constexpr int kHeld = 16;

__global__ void __launch_bounds__(kThreads) rows_kernel(Arguments a) {
  __shared__ float partials[kMaxWarps];
  const float* x_row = a.x + blockIdx.x * a.x_stride;
  const float* dy_row = a.dy + blockIdx.x * a.dy_stride;
  float* dx_row = a.dx + blockIdx.x * a.dx_stride;

  float held_x[kHeld];
  float held_dy[kHeld];
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    held_x[i] = col < a.cols ? x_row[col] : 0.0f;
    held_dy[i] = col < a.cols ? dy_row[col] : 0.0f;
    sum += held_x[i];
  }
  const float mean = block_reduce<Sum>(sum, partials) / a.cols;

  float squares = 0.0f;
  float sum_g = 0.0f;
  float sum_gd = 0.0f;
  const auto add = [&](int col, float x, float dy) {
    const float g = a.gamma ? dy * a.gamma[col] : dy;
    squares += (x - mean) * (x - mean);
    sum_g += g;
    sum_gd += g * (x - mean);
  };
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    if (threadIdx.x + i * kThreads < a.cols) add(threadIdx.x + i * kThreads, held_x[i], held_dy[i]);
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / a.cols + a.eps);
  const float mean_g = block_reduce<Sum>(sum_g, partials) / a.cols;
  const float mean_gr = block_reduce<Sum>(sum_gd, partials) * scale / a.cols;

  const auto finish = [&](int col, float x, float dy) {
    const float r = (x - mean) * scale;
    dx_row[col] = ((a.gamma ? dy * a.gamma[col] : dy) - mean_g - r * mean_gr) * scale;
    if (a.dgamma) atomicAdd(a.dgamma + col, dy * r);
    if (a.dbeta) atomicAdd(a.dbeta + col, dy);
  };
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    if (threadIdx.x + i * kThreads < a.cols) finish(threadIdx.x + i * kThreads, held_x[i], held_dy[i]);
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
  if (dgamma) WARPBOOK_TRY(cudaMemsetAsync(dgamma, 0, cols * sizeof(float), 0));
  if (dbeta) WARPBOOK_TRY(cudaMemsetAsync(dbeta, 0, cols * sizeof(float), 0));
  if (rows == 0) return cudaSuccess;
  rows_kernel<<<rows, kThreads>>>(a);
  return cudaGetLastError();
}
