// verdict: WA, RTE
// reason: unwritten, not-finite, value, out-of-zone-write, uninitialised
// cases: strided, odd-stride, long-masked
// mistake: the row index is multiplied by cols instead of the row stride
// question: where does row 1 begin when rows lie further apart than they are long?
// The rows are taken to lie one behind the other.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], row stride x_stride
                               float* __restrict__ y,        // [rows, cols], row stride y_stride
                               int cols) {
  __shared__ float partials[kMaxWarps];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  float* probabilities = y + static_cast<size_t>(blockIdx.x) * cols;

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
  softmax_kernel<<<rows, kThreads>>>(x, y, cols);
  (void)x_stride, (void)y_stride;
  return cudaGetLastError();
}
