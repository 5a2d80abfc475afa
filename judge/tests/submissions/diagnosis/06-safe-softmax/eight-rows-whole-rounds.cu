// mistake-of: sum-over-padding
#include <cuda_runtime.h>
#include <math.h>

// a warp per row
__global__ void softmax_rows(const float* x, float* y, int rows, int cols) {
  const unsigned all = 0xffffffffu;
  const int lane = threadIdx.x % 32;
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;
  x += (size_t)row * cols;
  y += (size_t)row * cols;

  float top = -INFINITY;
  for (int c = lane; c < cols; c += 32) top = fmaxf(top, x[c]);
  for (int d = 16; d > 0; d /= 2) top = fmaxf(top, __shfl_xor_sync(all, top, d));
  const float shift = top == -INFINITY ? 0.0f : top;

  float z = 0.0f;
  const int rounds = (cols + 31) / 32;
  for (int k = 0; k < rounds; ++k) {
    const int c = lane + 32 * k;
    const float logit = c < cols ? x[c] : 0.0f;
    z += expf(logit - shift);
  }
  for (int d = 16; d > 0; d /= 2) z += __shfl_xor_sync(all, z, d);

  const float inverse = z == 0.0f ? 0.0f : 1.0f / z;
  for (int c = lane; c < cols; c += 32) y[c] = expf(x[c] - shift) * inverse;
}

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  const int warps = 8;
  softmax_rows<<<(rows + warps - 1) / warps, warps * 32>>>(x, y, rows, cols);
  return cudaGetLastError();
}
