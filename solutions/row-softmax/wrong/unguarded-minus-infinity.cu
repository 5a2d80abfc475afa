// verdict: WA
// reason: not-finite
// cases: masked-row
// mistake: in a row masked throughout -inf - (-inf) is NaN
// question: what is x - m when every column of the row is -inf?
// Three walks with nothing said about masked columns.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

__device__ float weight(float logit, float row_max) { return expf(logit - row_max); }

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
    probabilities[col] = weight(logits[col], row_max) / total;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  softmax_kernel<<<rows, kThreads>>>(x, y, cols, x_stride, y_stride);
  return cudaGetLastError();
}
