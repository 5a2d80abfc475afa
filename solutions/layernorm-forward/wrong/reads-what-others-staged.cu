// verdict: RTE
// reason: race
// cases: channels, model, odd, bare, widest, far-from-zero, far-and-long, outlier-first, small-spread, zeros, no-gamma, no-beta, strided, misaligned, odd-stride, weights-off, padded, in-place, not-a-number, long, longest, long-in-place, no-memory, no-permission
// mistake: a thread stages four neighbouring columns and later reads every 256th one, which another thread has staged, without a barrier between
// question: which thread wrote the column of shared memory that you read, and how do you know that it has?
// Up to 8192 columns wait in shared memory; longer rows are read by each walk. The mean comes from a first walk over memory.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;
constexpr int kStaged = 8192;

__global__ void layernorm_kernel(const float* x,      // [rows, cols], row stride x_stride
                                 const float* gamma,  // [cols] or null
                                 const float* beta,   // [cols] or null
                                 float* y,            // [rows, cols], row stride y_stride; may be x
                                 int rows, int cols, long long x_stride, long long y_stride, float eps) {
  __shared__ float partials[kMaxWarps];
  __shared__ float staged[kStaged];
  const float* x_row = x + blockIdx.x * x_stride;
  float* y_row = y + blockIdx.x * y_stride;

  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) sum += x_row[col];
  const float mean = block_reduce<Sum>(sum, partials) / cols;

  const int held = min(cols, kStaged);
  for (int first = 4 * threadIdx.x; first < held; first += 4 * kThreads) {
    for (int col = first; col < min(first + 4, held); ++col) staged[col] = x_row[col] - mean;
  }
  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float distance = col < held ? staged[col] : x_row[col] - mean;
    squares += distance * distance;
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    y_row[col] = (col < held ? staged[col] : x_row[col] - mean) * scale * (gamma ? gamma[col] : 1.0f) + (beta ? beta[col] : 0.0f);
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
