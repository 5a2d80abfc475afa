// mistake-of: null-weights-read
#include <cuda_runtime.h>

// 8 warps a block, at most 32 blocks; lane l holds columns l, l + 32, l + 64 and l + 96
__device__ float allLanes(float v) {
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}

__global__ void rowLoop(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, long long xs, long long ys,
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
    const float mu = allLanes(s) / cols;
    float q = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float d = 32 * i + lane < cols ? v[i] - mu : 0.0f;
      q += d * d;
    }
    const float k = rsqrtf(allLanes(q) / cols + eps);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int c = 32 * i + lane;
      if (c < cols) {
        float z = (v[i] - mu) * k;
        z = z * gamma[c] + beta[c];
        out[c] = z;
      }
    }
  }
}

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, long long x_stride,
                             long long y_stride, float eps) {
  if (cols > 128) return cudaErrorInvalidValue;
  if (rows <= 0) return cudaSuccess;
  const int blocks = min((rows + 7) / 8, 32);
  rowLoop<<<blocks, 256>>>(x, gamma, beta, y, rows, cols, x_stride, y_stride, eps);
  return cudaGetLastError();
}
