// mistake-of: one-turn
#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 128;  // a thread a column
constexpr int kMostBlocks = 64;

__device__ float tree_sum(float value, float* tree) {
  tree[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) tree[threadIdx.x] += tree[threadIdx.x + half];
    __syncthreads();
  }
  const float sum = tree[0];
  __syncthreads();
  return sum;
}

// A block takes a row.
__global__ void layernorm_kernel(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, long long x_stride,
                                 long long y_stride, float eps) {
  __shared__ float tree[kThreads];
  const int col = threadIdx.x;
  const bool mine = col < cols;
  const float g = mine && gamma ? gamma[col] : 1.0f;
  const float b = mine && beta ? beta[col] : 0.0f;

  const long long row = blockIdx.x;
  if (row >= rows) return;
  const float value = mine ? x[row * x_stride + col] : 0.0f;
  const float mean = tree_sum(value, tree) / cols;
  const float distance = mine ? value - mean : 0.0f;
  const float variance = tree_sum(distance * distance, tree) / cols;
  if (mine) y[row * y_stride + col] = distance * rsqrtf(variance + eps) * g + b;
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, long long x_stride,
                             long long y_stride, float eps) {
  if (cols > kThreads) return cudaErrorInvalidValue;
  if (rows == 0) return cudaSuccess;
  const int blocks = rows < kMostBlocks ? rows : kMostBlocks;
  layernorm_kernel<<<blocks, kThreads>>>(x, gamma, beta, y, rows, cols, x_stride, y_stride, eps);
  return cudaGetLastError();
}
