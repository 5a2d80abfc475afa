// mistake-of: no-last-row-check
#include <cuda_runtime.h>
#include <math.h>

// block of 32 x 8 threads: threadIdx.x is the lane, threadIdx.y the row inside the block
__global__ void softmaxWarp(const float* in, float* out, int rows, int cols) {
  const int r = blockIdx.x * blockDim.y + threadIdx.y;
  const float* src = in + (size_t)r * cols;
  float* dst = out + (size_t)r * cols;

  float v[32];
  float m = -INFINITY;
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    const int c = k * 32 + threadIdx.x;
    v[k] = c < cols ? src[c] : -INFINITY;
    m = fmaxf(m, v[k]);
  }
  for (int o = 1; o < 32; o *= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));

  float s = 0.0f;
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    v[k] = v[k] == -INFINITY ? 0.0f : expf(v[k] - m);
    s += v[k];
  }
  for (int o = 1; o < 32; o *= 2) s += __shfl_xor_sync(0xffffffff, s, o);

  if (s == 0.0f) s = 1.0f;  // masked row: zeros
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    const int c = k * 32 + threadIdx.x;
    if (c < cols) dst[c] = v[k] / s;
  }
}

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols > 1024) return cudaErrorInvalidValue;
  const dim3 block(32, 8);
  softmaxWarp<<<(rows + 7) / 8, block>>>(x, y, rows, cols);
  return cudaGetLastError();
}
