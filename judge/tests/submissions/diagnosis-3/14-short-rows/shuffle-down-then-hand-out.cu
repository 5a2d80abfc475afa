// mistake-of: broadcast-without-width
#include <cuda_runtime.h>
#include <math.h>

namespace {

constexpr unsigned kEverybody = 0xffffffffu;
constexpr int kThreads = 128;

// Down to the first lane of the tile, and from there back to all.
template <int kTile>
__device__ float tile_max(float v) {
  for (int d = kTile / 2; d > 0; d /= 2) v = fmaxf(v, __shfl_down_sync(kEverybody, v, d, kTile));
  return __shfl_sync(kEverybody, v, 0);
}

template <int kTile>
__device__ float tile_sum(float v) {
  for (int d = kTile / 2; d > 0; d /= 2) v += __shfl_down_sync(kEverybody, v, d, kTile);
  return __shfl_sync(kEverybody, v, 0);
}

template <int kTile>
__global__ void softmax_tiles(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  const int tile = (blockIdx.x * kThreads + threadIdx.x) / kTile;  // a row a tile
  const int lane = threadIdx.x % kTile;
  const bool inside = tile < rows && lane < cols;

  float v = -INFINITY;
  if (inside) v = x[static_cast<size_t>(tile) * cols + lane];
  const float m = tile_max<kTile>(v);
  const float w = v == -INFINITY ? 0.0f : expf(v - m);
  const float d = tile_sum<kTile>(w);
  if (inside) y[static_cast<size_t>(tile) * cols + lane] = d == 0.0f ? 0.0f : w / d;
}

template <int kTile>
void go(const float* x, float* y, int rows, int cols) {
  const int per_block = kThreads / kTile;
  softmax_tiles<kTile><<<(rows + per_block - 1) / per_block, kThreads>>>(x, y, rows, cols);
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols > 32) return cudaErrorInvalidValue;
  if (cols <= 8) {
    go<8>(x, y, rows, cols);
  } else if (cols <= 16) {
    go<16>(x, y, rows, cols);
  } else {
    go<32>(x, y, rows, cols);
  }
  return cudaGetLastError();
}
