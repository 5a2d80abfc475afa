// verdict: AC
// Softmax of rows of up to 1024 columns by a block of 256 threads a row, four columns a thread in registers. One read of x as
// well, but two rounds of barriers, and on a row of 100 columns 156 threads have nothing.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;
constexpr int kHeld = 4;

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], dense
                               float* __restrict__ y,        // [rows, cols], dense
                               int cols) {
  __shared__ float partials[kMaxWarps];
  const size_t first = static_cast<size_t>(blockIdx.x) * cols;

  float held[kHeld];
  float largest = Max::identity();
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    held[i] = col < cols ? x[first + col] : -INFINITY;
    largest = fmaxf(largest, held[i]);
  }
  const float row_max = block_reduce<Max>(largest, partials);

  float weights = Sum::identity();
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    held[i] = weight(held[i], row_max);
    weights += held[i];
  }
  const float total = block_reduce<Sum>(weights, partials);

#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    if (col < cols) y[first + col] = total == 0.0f ? 0.0f : held[i] / total;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols > kThreads * kHeld) return cudaErrorInvalidValue;
  softmax_kernel<<<rows, kThreads>>>(x, y, cols);
  return cudaGetLastError();
}
