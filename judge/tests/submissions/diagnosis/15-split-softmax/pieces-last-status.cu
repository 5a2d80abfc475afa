// mistake-of: error-of-the-free
#include <cuda_runtime.h>
#include <math.h>

namespace {

constexpr int kBlock = 256;
constexpr int kPiece = 512;  // columns of a piece

// x: largest logit of a piece, y: sum of exp(logit - x)
__device__ float2 together(float2 a, float2 b) {
  if (a.x == -INFINITY) return make_float2(b.x, a.y + b.y);
  if (b.x == -INFINITY) return make_float2(a.x, a.y + b.y);
  const float m = fmaxf(a.x, b.x);
  return make_float2(m, a.y * expf(a.x - m) + b.y * expf(b.x - m));
}

__device__ float2 tree(float2 v, float2* s) {
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = kBlock / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = together(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  return s[0];
}

// grid: (pieces, rows)
__global__ void look(const float* x, float2* found, int cols) {
  __shared__ float2 s[kBlock];
  const float* row = x + (size_t)blockIdx.y * cols;
  float2 v = make_float2(-INFINITY, 0.0f);
  const int end = min((int)(blockIdx.x + 1) * kPiece, cols);
  for (int c = blockIdx.x * kPiece + threadIdx.x; c < end; c += kBlock) {
    if (row[c] != -INFINITY) v = together(v, make_float2(row[c], 1.0f));
  }
  v = tree(v, s);
  if (threadIdx.x == 0) found[blockIdx.y * gridDim.x + blockIdx.x] = v;
}

__global__ void write(const float* x, const float2* found, float* y, int cols) {
  __shared__ float2 s[kBlock];
  const float* row = x + (size_t)blockIdx.y * cols;
  float* out = y + (size_t)blockIdx.y * cols;
  float2 v = make_float2(-INFINITY, 0.0f);
  for (int p = threadIdx.x; p < gridDim.x; p += kBlock) v = together(v, found[blockIdx.y * gridDim.x + p]);
  v = tree(v, s);
  const int end = min((int)(blockIdx.x + 1) * kPiece, cols);
  for (int c = blockIdx.x * kPiece + threadIdx.x; c < end; c += kBlock) {
    const float w = row[c] == -INFINITY ? 0.0f : expf(row[c] - v.x);
    out[c] = v.y == 0.0f ? 0.0f : w / v.y;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  const int pieces = (cols + kPiece - 1) / kPiece;
  float2* found;
  cudaError_t e = cudaMallocAsync((void**)&found, sizeof(float2) * pieces * rows, 0);
  if (e != cudaSuccess) return e;
  const dim3 grid(pieces, rows);
  look<<<grid, kBlock>>>(x, found, cols);
  e = cudaGetLastError();
  if (e == cudaSuccess) write<<<grid, kBlock>>>(x, found, y, cols);
  const cudaError_t f = cudaFreeAsync(found, 0);
  return e == cudaSuccess ? f : e;
}
