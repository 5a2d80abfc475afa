// verdict: WA
// reason: value
// cases: heads
// trick: half-inside
// Differences, exponentials and quotients in half precision: fast, and right to three digits.
// Not fooled: the bound of each element is a few roundings of fp32, derived for that row (common/operators/softmax.cpp).
#include <cuda_fp16.h>
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

__global__ void half_softmax_kernel(const float* x, float* y, int cols, long long x_stride, long long y_stride) {
  __shared__ float partials[kMaxWarps];
  x += blockIdx.x * x_stride;
  y += blockIdx.x * y_stride;
  float largest = Max::identity(), weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) largest = fmaxf(largest, x[col]);
  largest = block_reduce<Max>(largest, partials);
  for (int col = threadIdx.x; col < cols; col += kThreads) weights += __half2float(hexp(__float2half(x[col] - largest)));
  weights = block_reduce<Sum>(weights, partials);
  for (int col = threadIdx.x; col < cols; col += kThreads)
    y[col] = __half2float(__hdiv(hexp(__float2half(x[col] - largest)), __float2half(weights)));
}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  half_softmax_kernel<<<rows, kThreads>>>(x, y, cols, x_stride, y_stride);
  return cudaGetLastError();
}
