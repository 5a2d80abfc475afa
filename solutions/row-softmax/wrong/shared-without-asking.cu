// verdict: RTE
// reason: invalid-launch, cuda-error
// cases: vocabulary, long, long-masked
// mistake: beyond 48 KB of shared memory a launch needs permission, and beyond what the device has, another path
// question: how many bytes of shared memory does the launch ask for, and who allowed that?
// The whole row waits in dynamic shared memory, however long it is.
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
                               int cols, long long x_stride, long long y_stride) {
  extern __shared__ float shared[];
  float* partials = shared;            // [kMaxWarps]
  float* staged = shared + kMaxWarps;  // [cols]
  const float* logits = x + blockIdx.x * x_stride;
  float* probabilities = y + blockIdx.x * y_stride;

  float largest = Max::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    staged[col] = logits[col];
    largest = fmaxf(largest, staged[col]);
  }
  const float row_max = block_reduce<Max>(largest, partials);
  float weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) weights += weight(staged[col], row_max);
  const float total = block_reduce<Sum>(weights, partials);
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    probabilities[col] = total == 0.0f ? 0.0f : weight(staged[col], row_max) / total;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  softmax_kernel<<<rows, kThreads, (kMaxWarps + cols) * sizeof(float)>>>(x, y, cols, x_stride, y_stride);
  return cudaGetLastError();
}
