// mistake-of: shift-not-below-zero
#include <cuda_runtime.h>
#include <math.h>

namespace {

constexpr int T = 512;

__global__ void softmax_block(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float s[T];
  const int t = threadIdx.x;
  const float* p = in + (size_t)n * blockIdx.x;
  float* q = out + (size_t)n * blockIdx.x;

  // largest
  float m = 0.0f;
  for (int i = t; i < n; i += T) m = p[i] > m ? p[i] : m;
  s[t] = m;
  __syncthreads();
  for (int h = T / 2; h; h >>= 1) {
    if (t < h) s[t] = fmaxf(s[t], s[t + h]);
    __syncthreads();
  }
  m = s[0];
  __syncthreads();

  // weights go to the output at once, the sum follows
  float d = 0.0f;
  for (int i = t; i < n; i += T) {
    const float e = expf(p[i] - m);
    q[i] = e;
    d += e;
  }
  s[t] = d;
  __syncthreads();
  for (int h = T / 2; h; h >>= 1) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  d = s[0];
  for (int i = t; i < n; i += T) q[i] = d == 0.0f ? 0.0f : q[i] / d;
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  softmax_block<<<rows, T>>>(x, y, cols);
  return cudaGetLastError();
}
