// mistake-of: n-minus-one
#include <cuda_runtime.h>

__device__ float2 plus(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }

// One row per block of 64 threads; (sum, sum of squares) travel together as a float2.
__global__ void layer_norm(const float* __restrict__ x, const float* __restrict__ g, const float* __restrict__ b,
                           float* __restrict__ y, int n, float eps) {
  __shared__ float2 sh[64];
  const int t = threadIdx.x;
  const float* in = x + (size_t)blockIdx.x * n;
  float* out = y + (size_t)blockIdx.x * n;

  float2 acc = make_float2(0.0f, 0.0f);
  for (int i = t; i < n; i += 64) acc = plus(acc, make_float2(in[i], in[i] * in[i]));
  sh[t] = acc;
  __syncthreads();
  for (int k = 32; k > 0; k >>= 1) {
    if (t < k) sh[t] = plus(sh[t], sh[t + k]);
    __syncthreads();
  }

  const float mu = sh[0].x / n;
  float var = (sh[0].y - sh[0].x * mu) / (n - 1);
  if (var < 0.0f) var = 0.0f;
  const float inv = rsqrtf(var + eps);
  for (int i = t; i < n; i += 64) {
    const float z = (in[i] - mu) * inv;
    out[i] = z * g[i] + b[i];
  }
}

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  layer_norm<<<rows, 64>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
