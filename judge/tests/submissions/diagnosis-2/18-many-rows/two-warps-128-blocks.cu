// mistake-of: none
#include <cuda_runtime.h>

// lane l holds columns l, l + 32, l + 64 and l + 96
__device__ float warpAdd(float v) {
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}

__global__ void grid_stride_ln(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, long long xs, long long ys,
                        float eps) {
  const int lane = threadIdx.x & 31;
  const int warps = gridDim.x * (blockDim.x >> 5);
  for (long long r = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5); r < rows; r += warps) {
    const float* in = x + r * xs;
    float* out = y + r * ys;
    float v[4];
    float s = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      v[i] = 32 * i + lane < cols ? in[32 * i + lane] : 0.0f;
      s += v[i];
    }
    const float mean = warpAdd(s) / cols;
    float q = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float d = v[i] - mean;
      q += d * d;
    }
    const float k = rsqrtf(warpAdd(q) / cols + eps);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int c = 32 * i + lane;
      if (c < cols) {
        const float g = gamma == nullptr ? 1.0f : gamma[c];
        const float b = beta == nullptr ? 0.0f : beta[c];
        out[c] = g * k * (v[i] - mean) + b;
      }
    }
  }
}

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, long long x_stride,
                             long long y_stride, float eps) {
  if (cols > 128) return cudaErrorInvalidValue;
  if (rows <= 0) return cudaSuccess;
  const int blocks = min((rows + 1) / 2, 128);
  grid_stride_ln<<<blocks, 64>>>(x, gamma, beta, y, rows, cols, x_stride, y_stride, eps);
  return cudaGetLastError();
}
