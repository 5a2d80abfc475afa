// mistake-of: blocks-rounded-down
#include <cuda_runtime.h>
#include <math.h>

// One warp for a row; the row is walked three times, nothing is kept. Blocks of 128 threads, so four rows each.
__global__ void rowsByWarps(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  const int lane = threadIdx.x & 31;
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  if (row >= rows) return;
  const float* a = x + (size_t)row * cols;
  float* b = y + (size_t)row * cols;

  float top = -INFINITY;
  for (int i = lane; i < cols; i += 32) top = fmaxf(top, a[i]);
  top = fmaxf(top, __shfl_xor_sync(~0u, top, 16));
  top = fmaxf(top, __shfl_xor_sync(~0u, top, 8));
  top = fmaxf(top, __shfl_xor_sync(~0u, top, 4));
  top = fmaxf(top, __shfl_xor_sync(~0u, top, 2));
  top = fmaxf(top, __shfl_xor_sync(~0u, top, 1));

  float den = 0.0f;
  for (int i = lane; i < cols; i += 32) {
    if (a[i] != -INFINITY) den += expf(a[i] - top);
  }
  den += __shfl_xor_sync(~0u, den, 16);
  den += __shfl_xor_sync(~0u, den, 8);
  den += __shfl_xor_sync(~0u, den, 4);
  den += __shfl_xor_sync(~0u, den, 2);
  den += __shfl_xor_sync(~0u, den, 1);

  for (int i = lane; i < cols; i += 32) {
    b[i] = den == 0.0f ? 0.0f : expf(a[i] - top) / den;
  }
}

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols > 1024) return cudaErrorInvalidValue;
  const int per = 4;
  rowsByWarps<<<rows / per, 32 * per>>>(x, y, rows, cols);
  return cudaGetLastError();
}
