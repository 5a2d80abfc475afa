// mistake-of: no-closing-barrier
#include <cuda_runtime.h>
#include <math.h>

__device__ float add(float a, float b) { return a + b; }
__device__ float larger(float a, float b) { return fmaxf(a, b); }

// Halves the number of values until one is left. n need not be a power of two.
template <float (*Op)(float, float)>
__device__ float tree(float mine, float* slots) {
  int t = threadIdx.x;
  slots[t] = mine;
  __syncthreads();
  int n = blockDim.x;
  while (n > 1) {
    int half = (n + 1) / 2;
    if (t + half < n) {
      slots[t] = Op(slots[t], slots[t + half]);
    }
    __syncthreads();
    n = half;
  }
  return slots[0];
}

__global__ void rows_kernel(const float* x, float* sum, float* max, int cols) {
  __shared__ float slots[1024];
  const float* row = x + (size_t)blockIdx.x * cols;
  float s = 0.0f;
  float m = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    s += row[c];
    m = fmaxf(m, row[c]);
  }
  float S = tree<add>(s, slots);
  float M = tree<larger>(m, slots);
  if (threadIdx.x + 1 == blockDim.x) {
    sum[blockIdx.x] = S;
    max[blockIdx.x] = M;
  }
}

cudaError_t launch_row_sum_max(const float* x, float* sum, float* max, int rows, int cols, int threads) {
  rows_kernel<<<rows, threads>>>(x, sum, max, cols);
  return cudaGetLastError();
}
