// verdict: AC
// cases: heads
// control: async-memory
// bench: accepted
// Maximum and sum of each row in memory that is allocated and freed in the order of the stream; a second kernel divides.
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

__global__ void statistics_kernel(const float* x, float2* statistics, int cols, long long x_stride) {
  __shared__ float partials[kMaxWarps];
  x += blockIdx.x * x_stride;
  float largest = Max::identity(), weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) largest = fmaxf(largest, x[col]);
  largest = block_reduce<Max>(largest, partials);
  for (int col = threadIdx.x; col < cols; col += kThreads) weights += expf(x[col] - largest);
  weights = block_reduce<Sum>(weights, partials);
  if (threadIdx.x == 0) statistics[blockIdx.x] = make_float2(largest, weights);
}

__global__ void divide_kernel(const float* x, float* y, const float2* statistics, int cols, long long x_stride, long long y_stride) {
  const float2 of_row = statistics[blockIdx.x];
  for (int col = threadIdx.x; col < cols; col += kThreads)
    y[blockIdx.x * y_stride + col] = expf(x[blockIdx.x * x_stride + col] - of_row.x) / of_row.y;
}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  float2* statistics = nullptr;
  const cudaError_t status = cudaMallocAsync(&statistics, sizeof(float2) * rows, nullptr);
  if (status != cudaSuccess) return status;
  statistics_kernel<<<rows, kThreads>>>(x, statistics, cols, x_stride);
  divide_kernel<<<rows, kThreads>>>(x, y, statistics, cols, x_stride, y_stride);
  const cudaError_t launched = cudaGetLastError();
  const cudaError_t freed = cudaFreeAsync(statistics, nullptr);
  return launched != cudaSuccess ? launched : freed;
}
