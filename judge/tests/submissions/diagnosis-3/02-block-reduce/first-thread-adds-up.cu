// mistake-of: no-barrier-before-collecting
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/watch.cuh"

namespace {

constexpr int kMaxThreads = 1024;

// No warps at all: each thread has a place in the list, and thread 0 goes through it.
template <class Combine>
__device__ float over_the_block(float mine, float* list, Combine combine) {
  list[threadIdx.x] = mine;
  if (threadIdx.x == 0) {
    float all = mine;
    for (int t = 1; t < static_cast<int>(blockDim.x); ++t) all = combine(all, list[t]);
    list[0] = all;
  }
  __syncthreads();
  const float result = list[0];
  __syncthreads();
  return result;
}

struct Plus {
  __device__ float operator()(float a, float b) const { return a + b; }
};

struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

__global__ void row_sum_max_kernel(const float* __restrict__ x, float* __restrict__ sum, float* __restrict__ max, int cols) {
  __shared__ float list[kMaxThreads];
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;

  float my_sum = 0.0f;
  float my_max = -INFINITY;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    my_sum += row[col];
    my_max = fmaxf(my_max, row[col]);
  }
  const float total = over_the_block(my_sum, list, Plus());
  const float largest = over_the_block(my_max, list, Larger());

  if (threadIdx.x == blockDim.x - 1) {
    sum[blockIdx.x] = total;
    max[blockIdx.x] = largest;
  }
}

}  // namespace

cudaError_t launch_row_sum_max(const float* x, float* sum, float* max, int rows, int cols, int threads) {
  row_sum_max_kernel<<<rows, threads>>>(x, sum, max, cols);
  return cudaGetLastError();
}
