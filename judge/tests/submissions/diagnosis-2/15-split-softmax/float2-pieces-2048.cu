// mistake-of: tail-not-launched
#include <cuda_runtime.h>
#include <math.h>

// pieces of 2048 columns, 256 threads for each; (max, sum) of a piece goes to global memory as a float2
constexpr int PIECE = 2048;
constexpr int T = 256;

__device__ float2 both(float2 a, float2 b) {
  const float m = fmaxf(a.x, b.x);
  const float sa = a.x == -INFINITY ? a.y : a.y * expf(a.x - m);
  const float sb = b.x == -INFINITY ? b.y : b.y * expf(b.x - m);
  return make_float2(m, sa + sb);
}

__device__ float2 fold(float2 mine, float2* sh) {
  sh[threadIdx.x] = mine;
  __syncthreads();
  for (int k = T / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) sh[threadIdx.x] = both(sh[threadIdx.x], sh[threadIdx.x + k]);
    __syncthreads();
  }
  return sh[0];
}

__global__ void first(const float* x, float2* pairs, int cols, int pieces) {
  __shared__ float2 sh[T];
  const float* row = x + (size_t)blockIdx.y * cols;
  const int from = blockIdx.x * PIECE;
  float2 p = make_float2(-INFINITY, 0.0f);
  for (int k = 0; k < PIECE / T; ++k) {
    const int c = from + k * T + threadIdx.x;
    if (c < cols && row[c] != -INFINITY) p = both(p, make_float2(row[c], 1.0f));
  }
  p = fold(p, sh);
  if (threadIdx.x == 0) pairs[blockIdx.y * pieces + blockIdx.x] = p;
}

__global__ void second(const float* x, const float2* pairs, float* y, int cols, int pieces) {
  __shared__ float2 sh[T];
  float2 p = make_float2(-INFINITY, 0.0f);
  for (int i = threadIdx.x; i < pieces; i += T) p = both(p, pairs[blockIdx.y * pieces + i]);
  p = fold(p, sh);
  const size_t row = (size_t)blockIdx.y * cols;
  for (int k = 0; k < PIECE / T; ++k) {
    const int c = blockIdx.x * PIECE + k * T + threadIdx.x;
    if (c < cols) y[row + c] = p.y == 0.0f ? 0.0f : expf(x[row + c] - p.x) / p.y;
  }
}

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  const int pieces = cols < PIECE ? 1 : cols / PIECE;
  float2* pairs = nullptr;
  cudaError_t e = cudaMallocAsync(&pairs, sizeof(float2) * rows * pieces, 0);
  if (e != cudaSuccess) return e;
  first<<<dim3(pieces, rows), T>>>(x, pairs, cols, pieces);
  e = cudaGetLastError();
  if (e == cudaSuccess) {
    second<<<dim3(pieces, rows), T>>>(x, pairs, y, cols, pieces);
    e = cudaGetLastError();
  }
  const cudaError_t f = cudaFreeAsync(pairs, 0);
  return e == cudaSuccess ? f : e;
}
