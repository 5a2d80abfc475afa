// verdict: WA
// reason: not-finite, value
// cases: one-column, ramp, far-below, spike
// mistake: nothing is subtracted: e^x overflows above 88.7 and vanishes below -104
// question: what is the largest exponent that expf is given, and where does it leave the range of float?
// Two walks: without a maximum there is nothing to wait for.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], row stride x_stride
                               float* __restrict__ y,        // [rows, cols], row stride y_stride
                               int cols, long long x_stride, long long y_stride) {
  __shared__ float partials[kMaxWarps];
  const float* logits = x + blockIdx.x * x_stride;
  float* probabilities = y + blockIdx.x * y_stride;

  float weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) weights += expf(logits[col]);
  const float total = block_reduce<Sum>(weights, partials);
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    probabilities[col] = total == 0.0f ? 0.0f : expf(logits[col]) / total;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  softmax_kernel<<<rows, kThreads>>>(x, y, cols, x_stride, y_stride);
  return cudaGetLastError();
}
