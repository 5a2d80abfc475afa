// mistake-of: added-twice
#include <cuda_runtime.h>

// No registers: the first walk adds and squares, the second one reads the sums back and scales. 512 threads for each row.
__global__ void add_norm(float* hidden, float* residual, const float* weight, int cols, float eps) {
  __shared__ float warpSums[16];
  float* h = hidden + (size_t)blockIdx.x * cols;
  float* r = residual + (size_t)blockIdx.x * cols;

  float sq = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    const float sum = r[c] + h[c];
    r[c] = sum;
    sq += sum * sum;
  }
  for (int o = 16; o > 0; o >>= 1) sq += __shfl_xor_sync(0xffffffff, sq, o);
  if (threadIdx.x % 32 == 0) warpSums[threadIdx.x / 32] = sq;
  __syncthreads();
  float total = 0.0f;
  for (int w = 0; w < blockDim.x / 32; ++w) total += warpSums[w];

  const float scale = rsqrtf(total / cols + eps);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    const float sum = r[c] + h[c];
    h[c] = sum * scale * weight[c];
  }
}

cudaError_t launch_fused_add_rmsnorm(float* hidden, float* residual, const float* weight, int rows, int cols, float eps) {
  if (cols > 4096) return cudaErrorInvalidValue;
  add_norm<<<rows, 512>>>(hidden, residual, weight, cols, eps);
  return cudaGetLastError();
}
