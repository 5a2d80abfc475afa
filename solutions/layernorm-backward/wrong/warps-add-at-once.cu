// verdict: RTE
// reason: race
// cases: channels, model, odd, bare, widest, one-column, two-values, one-row, many-short-rows, alike, far-from-zero, far-and-long, small-spread, zeros, no-dgamma, no-dbeta, only-dx, strided, misaligned, odd-stride, weights-off, padded, rows-far-apart, in-place, long, longest, long-in-place, second-launch-refused
// mistake: all warps of a block add to the same column sums in shared memory, and what one adds between another's read and write is lost
// question: how many warps add to one element of your shared memory, and who makes them wait for each other?
// A warp a row; 32 rows a block share the column sums, a piece of 256 columns at a time.
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
constexpr int kWarps = kThreads / kWarpSize;
constexpr int kHeld = 8;
constexpr int kPieceCols = kHeld * kWarpSize;  // columns that a warp has in registers at a time
constexpr int kRowsPerBlock = 32;

struct Row {
  float mean, scale, mean_g, mean_gr;
};

/// Lane 0 to 31 of a warp: the four numbers of a row.
__device__ Row row_of(const Arguments& a, const float* x_row, const float* dy_row) {
  const int lane = threadIdx.x % kWarpSize;
  float sum = 0.0f;
  for (int col = lane; col < a.cols; col += kWarpSize) sum += x_row[col];
  const float mean = warp_reduce<Sum>(sum) / a.cols;
  float squares = 0.0f;
  float sum_g = 0.0f;
  float sum_gd = 0.0f;
  for (int col = lane; col < a.cols; col += kWarpSize) {
    const float d = x_row[col] - mean;
    const float g = a.g(dy_row, col);
    squares += d * d;
    sum_g += g;
    sum_gd += g * d;
  }
  const float scale = rsqrtf(warp_reduce<Sum>(squares) / a.cols + a.eps);
  return {mean, scale, warp_reduce<Sum>(sum_g) / a.cols, warp_reduce<Sum>(sum_gd) * scale / a.cols};
}

/// Block b takes rows b * kRowsPerBlock and on, a warp a row, and adds up their columns in shared memory, a piece of the columns at a time.
__global__ void rows_kernel(Arguments a,
                            float* sums) {  // [blocks, 2, cols]
  __shared__ Row of_rows[kRowsPerBlock];
  __shared__ float dgamma_of[kPieceCols];
  __shared__ float dbeta_of[kPieceCols];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const long long first = static_cast<long long>(blockIdx.x) * kRowsPerBlock;
  const int count = static_cast<int>(min(static_cast<long long>(kRowsPerBlock), a.rows - first));

  for (int i = warp; i < count; i += kWarps) {
    const Row row = row_of(a, a.x + (first + i) * a.x_stride, a.dy + (first + i) * a.dy_stride);
    if (lane == 0) of_rows[i] = row;
  }
  __syncwarp();  // a warp reads the rows that it found itself
  for (int piece = 0; piece < a.cols; piece += kPieceCols) {
    dgamma_of[threadIdx.x] = 0.0f;
    dbeta_of[threadIdx.x] = 0.0f;
    __syncthreads();
    float dgamma[kHeld] = {};
    float dbeta[kHeld] = {};
    for (int i = warp; i < count; i += kWarps) {
      const Row row = of_rows[i];
      const float* x_row = a.x + (first + i) * a.x_stride;
      const float* dy_row = a.dy + (first + i) * a.dy_stride;
      float* dx_row = a.dx + (first + i) * a.dx_stride;
#pragma unroll
      for (int j = 0; j < kHeld; ++j) {
        const int col = piece + lane + j * kWarpSize;
        if (col >= a.cols) continue;
        const float r = (x_row[col] - row.mean) * row.scale;
        const float dy = dy_row[col];
        dgamma[j] += dy * r;
        dbeta[j] += dy;
        dx_row[col] = (a.g(dy_row, col) - row.mean_g - r * row.mean_gr) * row.scale;
      }
    }
#pragma unroll
    for (int j = 0; j < kHeld; ++j) {
      dgamma_of[lane + j * kWarpSize] += dgamma[j];
      dbeta_of[lane + j * kWarpSize] += dbeta[j];
    }
    __syncthreads();
    const int col = piece + threadIdx.x;
    if (col < a.cols) {
      float* out = sums + static_cast<long long>(blockIdx.x) * 2 * a.cols;
      out[col] = dgamma_of[threadIdx.x];
      out[a.cols + col] = dbeta_of[threadIdx.x];
    }
    __syncthreads();  // the next piece overwrites
  }
}

__global__ void sums_kernel(const float* sums,  // [blocks, 2, cols]
                            int blocks, int cols,
                            float* dgamma,   // [cols] or null
                            float* dbeta) {  // [cols] or null
  const int col = blockIdx.x * kThreads + threadIdx.x;
  if (col >= cols) return;
  float total_gamma = 0.0f;
  float total_beta = 0.0f;
  for (int b = 0; b < blocks; ++b) {
    total_gamma += sums[static_cast<long long>(b) * 2 * cols + col];
    total_beta += sums[static_cast<long long>(b) * 2 * cols + cols + col];
  }
  if (dgamma) dgamma[col] = total_gamma;
  if (dbeta) dbeta[col] = total_beta;
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
  const int blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  const int column_blocks = (cols - 1) / kThreads + 1;
  float* sums = nullptr;  // [blocks, 2, cols]
  cudaError_t status = cudaSuccess;
  if (blocks > 0) {
    WARPBOOK_TRY(cudaMallocAsync(&sums, sizeof(float) * 2 * blocks * cols, 0));
    rows_kernel<<<blocks, kThreads>>>(a, sums);
    status = cudaGetLastError();
  }
  if (status == cudaSuccess) {
    sums_kernel<<<column_blocks, kThreads>>>(sums, blocks, cols, dgamma, dbeta);
    status = cudaGetLastError();
  }
  const cudaError_t freed = blocks > 0 ? cudaFreeAsync(sums, 0) : cudaSuccess;
  return status != cudaSuccess ? status : freed;
}
