// mistake-of: tree-of-halves
#include <cuda_runtime.h>
#include <math.h>

// Everything in shared memory, no shuffles. Each thread walks its columns, then the block folds the two arrays.
__global__ void rowSumMax(const float* x, float* sum, float* max, int cols) {
  __shared__ float s[1024];
  __shared__ float m[1024];
  int tid = threadIdx.x;
  const float* r = x + (size_t)blockIdx.x * cols;

  float a = 0.0f;
  float b = -INFINITY;
  for (int i = tid; i < cols; i += blockDim.x) {
    a += r[i];
    b = fmaxf(b, r[i]);
  }
  s[tid] = a;
  m[tid] = b;
  __syncthreads();

  int n = blockDim.x;
  while (n > 1) {
    int half = n / 2;
    if (tid < half) {
      s[tid] += s[tid + half];
      m[tid] = fmaxf(m[tid], m[tid + half]);
    }
    __syncthreads();
    n = half;
  }
  if (tid == 0) {
    sum[blockIdx.x] = s[0];
    max[blockIdx.x] = m[0];
  }
}

cudaError_t launch_row_sum_max(const float* x, float* sum, float* max, int rows, int cols, int threads) {
  rowSumMax<<<rows, threads>>>(x, sum, max, cols);
  return cudaGetLastError();
}
