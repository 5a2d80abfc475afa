// mistake-of: tiles-without-a-row-leave
#include <cuda_runtime.h>
#include <math.h>

// W lanes take one row. 64 threads a block.
template <int W>
__device__ float maxOver(float v) {
  for (int d = W / 2; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d, W));
  return v;
}

template <int W>
__device__ float sumOver(float v) {
  for (int d = W / 2; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d, W);
  return v;
}

template <int W>
__global__ void tiny(const float* x, float* y, int rows, int cols) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = id / W;
  const int c = id % W;
  if (r >= rows) return;
  float v = -INFINITY;
  if (c < cols) v = x[r * cols + c];

  const float m = maxOver<W>(v);
  const float e = v == -INFINITY ? 0.0f : expf(v - m);
  const float s = sumOver<W>(e);
  if (c < cols) y[r * cols + c] = s == 0.0f ? 0.0f : e / s;
}

template <int W>
void go(const float* x, float* y, int rows, int cols) {
  const int perBlock = 64 / W;
  tiny<W><<<(rows + perBlock - 1) / perBlock, 64>>>(x, y, rows, cols);
}

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols > 32) return cudaErrorInvalidValue;
  if (cols > 16) {
    go<32>(x, y, rows, cols);
  } else if (cols > 8) {
    go<16>(x, y, rows, cols);
  } else {
    go<8>(x, y, rows, cols);
  }
  return cudaGetLastError();
}
