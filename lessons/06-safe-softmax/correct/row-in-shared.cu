// verdict: AC
// Softmax with the row in shared memory where it fits: one read of x. Longer rows are read three times. 512 threads a row.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 512;
constexpr int kRowCapacity = 8192;  // 32 KB

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

template <bool kStaged>
__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], dense
                               float* __restrict__ y,        // [rows, cols], dense
                               int cols) {
  __shared__ float partials[kMaxWarps];
  __shared__ float staged[kStaged ? kRowCapacity : 1];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;

  // A thread only ever reads back what it wrote itself: no barrier is needed for the row.
  float largest = -INFINITY;
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float logit = x[offset + col];
    if (kStaged) staged[col] = logit;
    largest = fmaxf(largest, logit);
  }
  const float row_max = block_reduce<Max>(largest, partials);
  float weights = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float mine = weight(kStaged ? staged[col] : x[offset + col], row_max);
    if (kStaged) staged[col] = mine;
    weights += mine;
  }
  const float total = block_reduce<Sum>(weights, partials);
  const float inverse = total == 0.0f ? 0.0f : 1.0f / total;
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    y[offset + col] = (kStaged ? staged[col] : weight(x[offset + col], row_max)) * inverse;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols <= kRowCapacity) {
    softmax_kernel<true><<<rows, kThreads>>>(x, y, cols);
  } else {
    softmax_kernel<false><<<rows, kThreads>>>(x, y, cols);
  }
  return cudaGetLastError();
}
