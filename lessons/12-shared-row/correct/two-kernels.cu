// verdict: AC
// medal: lost
// mistake: statistics and output come from two kernels, and x is read by both
// The way before this lesson: one kernel leaves maximum and sum of every row in global memory, a second one normalises. Right for rows of
// any length, and every row is read twice.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

/// Maximum and sum of weights of row r, in statistics[r].
__global__ void statistics_kernel(const float* __restrict__ x,      // [rows, cols], dense
                                  float2* __restrict__ statistics,  // [rows]
                                  int cols) {
  __shared__ float partials[kMaxWarps];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  float largest = Max::identity();
  float weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float logit = logits[col];
    if (logit == -INFINITY) continue;
    const float larger = fmaxf(largest, logit);
    weights = weights * expf(largest - larger) + expf(logit - larger);
    largest = larger;
  }
  const float row_max = block_reduce<Max>(largest, partials);
  const float total = block_reduce<Sum>(largest == -INFINITY ? weights : weights * expf(largest - row_max), partials);
  if (threadIdx.x == 0) statistics[blockIdx.x] = {row_max, total};
}

__global__ void normalise_kernel(const float* __restrict__ x,            // [rows, cols], dense
                                 const float2* __restrict__ statistics,  // [rows]
                                 float* __restrict__ y,                  // [rows, cols], dense
                                 int cols) {
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;
  const float2 row = statistics[blockIdx.x];  // x: the maximum, y: the sum
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    y[offset + col] = row.y == 0.0f ? 0.0f : weight(x[offset + col], row.x) / row.y;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  float2* statistics = nullptr;
  WARPBOOK_TRY(cudaMalloc(&statistics, rows * sizeof(float2)));
  statistics_kernel<<<rows, kThreads>>>(x, statistics, cols);
  cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) {
    normalise_kernel<<<rows, kThreads>>>(x, statistics, y, cols);
    status = cudaGetLastError();
  }
  const cudaError_t freed = cudaFree(statistics);  // waits for both kernels
  return status != cudaSuccess ? status : freed;
}
