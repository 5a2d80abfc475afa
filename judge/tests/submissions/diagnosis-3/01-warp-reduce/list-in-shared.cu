// mistake-of: zero-starts-the-maximum
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/watch.cuh"

namespace {

constexpr int kWarpSize = 32;

// No shuffles: the lanes write their results side by side in shared memory, and every lane goes through the list.
__global__ void row_sum_max_kernel(const float* __restrict__ x, float* __restrict__ sum, float* __restrict__ max, int cols) {
  __shared__ float sums[kWarpSize];
  __shared__ float maxima[kWarpSize];
  const int lane = threadIdx.x;
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;

  float my_sum = 0.0f;
  float my_max = 0.0f;
  for (int col = lane; col < cols; col += kWarpSize) {
    const float value = row[col];
    my_sum += value;
    my_max = fmaxf(my_max, value);
  }
  sums[lane] = my_sum;
  maxima[lane] = my_max;
  __syncwarp();

  float total = sums[0];
  float largest = maxima[0];
  for (int other = 1; other < kWarpSize; ++other) {
    total += sums[other];
    largest = fmaxf(largest, maxima[other]);
  }
  WATCH(total);
  WATCH(largest);

  if (lane == 0) sum[blockIdx.x] = total;
  if (lane == kWarpSize - 1) max[blockIdx.x] = largest;
}

}  // namespace

cudaError_t launch_row_sum_max(const float* x, float* sum, float* max, int rows, int cols) {
  row_sum_max_kernel<<<rows, kWarpSize>>>(x, sum, max, cols);
  return cudaGetLastError();
}
