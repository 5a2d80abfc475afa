// verdict: WA
// reason: unwritten
// cases: vocabulary, long, long-masked
// mistake: columns beyond what the registers hold are neither counted nor written
// question: how long may a row be before your registers are full, and what happens to the rest?
// Sixteen registers a thread hold the row; nothing holds what lies beyond 16,384 columns.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 1024;
constexpr int kHeld = 16;

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], row stride x_stride
                               float* __restrict__ y,        // [rows, cols], row stride y_stride
                               int cols, long long x_stride, long long y_stride) {
  __shared__ float partials[kMaxWarps];
  const float* logits = x + blockIdx.x * x_stride;
  float* probabilities = y + blockIdx.x * y_stride;

  float held[kHeld];
  float largest = Max::identity();
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    held[i] = col < cols ? logits[col] : -INFINITY;
    largest = fmaxf(largest, held[i]);
  }
  const float row_max = block_reduce<Max>(largest, partials);
  float weights = Sum::identity();
#pragma unroll
  for (int i = 0; i < kHeld; ++i) weights += weight(held[i], row_max);
  const float total = block_reduce<Sum>(weights, partials);
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    if (col < cols) probabilities[col] = total == 0.0f ? 0.0f : weight(held[i], row_max) / total;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  softmax_kernel<<<rows, kThreads>>>(x, y, cols, x_stride, y_stride);
  return cudaGetLastError();
}
