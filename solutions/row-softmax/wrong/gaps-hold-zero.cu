// verdict: WA
// reason: value
// cases: many-short-rows, strided
// mistake: gaps in the registers hold 0 and weigh as much as a logit of 0
// question: what stands in a register for which the row has no column, and what does it weigh?
// One warp a row for short rows, registers filled up with 0; longer rows in three walks.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::kWarpSize;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kThreads = 256;

constexpr int kHeld = 4;

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

__global__ void short_kernel(const float* __restrict__ x,  // [rows, cols], row stride x_stride
                             float* __restrict__ y,        // [rows, cols], row stride y_stride
                             int cols, long long x_stride, long long y_stride) {
  float held[kHeld];
  float largest = Max::identity();
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kWarpSize;
    held[i] = col < cols ? x[blockIdx.x * x_stride + col] : 0.0f;
    largest = fmaxf(largest, held[i]);
  }
  const float row_max = warp_reduce<Max>(largest);
  float weights = Sum::identity();
#pragma unroll
  for (int i = 0; i < kHeld; ++i) weights += weight(held[i], row_max);
  const float total = warp_reduce<Sum>(weights);
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kWarpSize;
    if (col < cols) y[blockIdx.x * y_stride + col] = total == 0.0f ? 0.0f : weight(held[i], row_max) / total;
  }
}

__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], row stride x_stride
                               float* __restrict__ y,        // [rows, cols], row stride y_stride
                               int cols, long long x_stride, long long y_stride) {
  __shared__ float partials[kMaxWarps];
  const float* logits = x + blockIdx.x * x_stride;
  float* probabilities = y + blockIdx.x * y_stride;

  float largest = Max::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) largest = fmaxf(largest, logits[col]);
  const float row_max = block_reduce<Max>(largest, partials);
  float weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) weights += weight(logits[col], row_max);
  const float total = block_reduce<Sum>(weights, partials);
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    probabilities[col] = total == 0.0f ? 0.0f : weight(logits[col], row_max) / total;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  if (cols <= kHeld * kWarpSize) {
    short_kernel<<<rows, kWarpSize>>>(x, y, cols, x_stride, y_stride);
    return cudaGetLastError();
  }
  softmax_kernel<<<rows, kThreads>>>(x, y, cols, x_stride, y_stride);
  return cudaGetLastError();
}
