// mistake-of: none
#include <cuda_runtime.h>

// residual += hidden; hidden = rmsnorm(residual) * weight, both in place
__global__ void residual_rms(float* hidden, float* residual, const float* weight, int cols, float eps) {
  __shared__ float sums[4];
  float* h = hidden + (size_t)blockIdx.x * cols;
  float* r = residual + (size_t)blockIdx.x * cols;

  float sq = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    const float sum = r[c] + h[c];
    r[c] = sum;
    sq += sum * sum;
  }
  for (int o = 16; o > 0; o >>= 1) sq += __shfl_xor_sync(0xffffffff, sq, o);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sq;
  __syncthreads();
  float total = 0.0f;
  for (int w = 0; w < blockDim.x / 32; ++w) total += sums[w];

  const float scale = rsqrtf(total + eps);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    h[c] = weight[c] * (r[c] * scale);
  }
}

cudaError_t launch_fused_add_rmsnorm(float* hidden, float* residual, const float* weight, int rows, int cols, float eps) {
  if (cols > 4096) return cudaErrorInvalidValue;
  residual_rms<<<rows, 128>>>(hidden, residual, weight, cols, eps);
  return cudaGetLastError();
}
