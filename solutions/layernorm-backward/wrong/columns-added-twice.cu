// verdict: WA, RTE
// reason: value, race
// cases: channels, model, odd, bare, widest, one-column, two-values, one-row, many-short-rows, far-from-zero, far-and-long, small-spread, zeros, no-dgamma, no-dbeta, strided, misaligned, odd-stride, weights-off, padded, rows-far-apart, in-place, long, longest, long-in-place, second-launch-refused
// mistake: a warp without a row takes the last one once more, so that no lane leaves; that is harmless for dx, and counts the row again in the column sums
// question: what does a warp add to the column sums when the rows are used up?
// A warp a row, eight rows a block; the column sums are added atomically.
#include <cuda_runtime.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::kWarpSize;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

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
constexpr int kRowsPerBlock = kThreads / kWarpSize;

__global__ void rows_kernel(Arguments a) {
  const int lane = threadIdx.x % kWarpSize;
  const long long row = min(static_cast<long long>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kWarpSize, a.rows - 1LL);
  const float* x_row = a.x + row * a.x_stride;
  const float* dy_row = a.dy + row * a.dy_stride;
  float* dx_row = a.dx + row * a.dx_stride;
  float sum = 0.0f;
  for (int col = lane; col < a.cols; col += kWarpSize) sum += x_row[col];
  const float mean = warp_reduce<Sum>(sum) / a.cols;
  float squares = 0.0f;
  float sum_g = 0.0f;
  float sum_gd = 0.0f;
  for (int col = lane; col < a.cols; col += kWarpSize) {
    const float d = x_row[col] - mean;
    squares += d * d;
    sum_g += a.g(dy_row, col);
    sum_gd += a.g(dy_row, col) * d;
  }
  const float scale = rsqrtf(warp_reduce<Sum>(squares) / a.cols + a.eps);
  const float mean_g = warp_reduce<Sum>(sum_g) / a.cols;
  const float mean_gr = warp_reduce<Sum>(sum_gd) * scale / a.cols;
  __syncthreads();  // all have read their row
  for (int col = lane; col < a.cols; col += kWarpSize) {
    const float r = (x_row[col] - mean) * scale;
    const float dy = dy_row[col];
    if (a.dgamma) atomicAdd(a.dgamma + col, dy * r);
    if (a.dbeta) atomicAdd(a.dbeta + col, dy);
    dx_row[col] = ((a.gamma ? dy * a.gamma[col] : dy) - mean_g - r * mean_gr) * scale;
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
  rows_kernel<<<(rows - 1) / kRowsPerBlock + 1, kThreads>>>(a);
  return cudaGetLastError();
}
