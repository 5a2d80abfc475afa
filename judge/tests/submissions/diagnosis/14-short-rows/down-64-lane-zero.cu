// mistake-of: broadcast-without-width
#include <cuda_runtime.h>
#include <math.h>

#define WARP_ALL 0xffffffffu

template <int W>
__device__ float first_of_tile_max(float v) {
  for (int d = W / 2; d > 0; d /= 2) v = fmaxf(v, __shfl_down_sync(WARP_ALL, v, d, W));
  return __shfl_sync(WARP_ALL, v, 0);
}

template <int W>
__device__ float first_of_tile_sum(float v) {
  for (int d = W / 2; d > 0; d /= 2) v += __shfl_down_sync(WARP_ALL, v, d, W);
  return __shfl_sync(WARP_ALL, v, 0);
}

// threadIdx.x: column, threadIdx.y: row of the block
template <int W>
__global__ void tiles(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  const int col = threadIdx.x;
  const bool there = row < rows && col < cols;
  const float a = there ? x[row * (size_t)cols + col] : -INFINITY;
  const float top = first_of_tile_max<W>(a);
  const float w = top == -INFINITY ? 0.0f : expf(a - top);
  const float all = first_of_tile_sum<W>(w);
  if (there) y[row * (size_t)cols + col] = w / (all == 0.0f ? 1.0f : all);
}

template <int W>
cudaError_t start(const float* x, float* y, int rows, int cols) {
  const dim3 block(W, 64 / W);
  tiles<W><<<(rows + block.y - 1) / block.y, block>>>(x, y, rows, cols);
  return cudaGetLastError();
}

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols > 32) return cudaErrorInvalidValue;
  if (cols > 16) return start<32>(x, y, rows, cols);
  if (cols > 8) return start<16>(x, y, rows, cols);
  if (cols > 4) return start<8>(x, y, rows, cols);
  return start<4>(x, y, rows, cols);
}
