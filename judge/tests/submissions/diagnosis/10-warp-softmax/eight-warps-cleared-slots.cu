// mistake-of: gaps-hold-zero
#include <cuda_runtime.h>
#include <math.h>

// 8 warps a block, a row each, always 32 slots a lane
__global__ void __launch_bounds__(256) softmax32(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  const int lane = threadIdx.x & 31;
  const int r = blockIdx.x * 8 + (threadIdx.x >> 5);
  if (r >= rows) return;
  const float* in = x + (size_t)r * cols;
  float* out = y + (size_t)r * cols;

  float v[32];
  float m = -INFINITY;
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    v[k] = 0.0f;
    if (32 * k + lane < cols) v[k] = in[32 * k + lane];
    m = fmaxf(m, v[k]);
  }
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
  if (m == -INFINITY) m = 0.0f;

  float z = 0.0f;
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    v[k] = expf(v[k] - m);
    z += v[k];
  }
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) z += __shfl_xor_sync(~0u, z, d);
  const float f = z == 0.0f ? 0.0f : 1.0f / z;

#pragma unroll
  for (int k = 0; k < 32; ++k) {
    if (32 * k + lane < cols) out[32 * k + lane] = v[k] * f;
  }
}

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols > 1024) return cudaErrorInvalidValue;
  softmax32<<<(rows + 7) / 8, 256>>>(x, y, rows, cols);
  return cudaGetLastError();
}
