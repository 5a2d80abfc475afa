// mistake-of: beta-inside
#include <cuda_runtime.h>

namespace {

__global__ void layer_norm(const float* x, const float* gamma, const float* beta, float* y, int cols, float eps) {
  extern __shared__ float buffer[];  // first half: x, second half: x * x
  float* s1 = buffer;
  float* s2 = buffer + blockDim.x;
  const int tid = threadIdx.x;
  const float* row = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;

  s1[tid] = 0.0f;
  s2[tid] = 0.0f;
  for (int j = tid; j < cols; j += blockDim.x) {
    s1[tid] += row[j];
    s2[tid] += row[j] * row[j];
  }
  __syncthreads();
  for (int step = blockDim.x / 2; step >= 1; step /= 2) {
    if (tid < step) {
      s1[tid] += s1[tid + step];
      s2[tid] += s2[tid + step];
    }
    __syncthreads();
  }

  const float mean = s1[0] / cols;
  const float square = s2[0] / cols;
  const float variance = max(square - mean * mean, 0.0f);
  const float sigma = sqrtf(variance + eps);
  for (int j = tid; j < cols; j += blockDim.x) {
    const float z = (row[j] - mean) / sigma;
    out[j] = (z + beta[j]) * gamma[j];
  }
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  const int threads = 512;
  layer_norm<<<rows, threads, 2 * threads * sizeof(float)>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
