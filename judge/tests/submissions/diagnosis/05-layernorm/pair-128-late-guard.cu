// mistake-of: clamp-after-eps
#include <cuda_runtime.h>

static __device__ float2 all_lanes(float2 v) {
  for (int d = 16; d; d >>= 1) {
    v.x += __shfl_xor_sync(~0u, v.x, d);
    v.y += __shfl_xor_sync(~0u, v.y, d);
  }
  return v;
}

// 128 threads; the two sums travel as a float2
static __global__ void ln(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
                          float* __restrict__ y, int n, float eps) {
  __shared__ float2 parts[4];
  const size_t begin = (size_t)blockIdx.x * n;
  float2 acc = make_float2(0.f, 0.f);
  for (int i = threadIdx.x; i < n; i += 128) {
    const float v = x[begin + i];
    acc.x += v;
    acc.y = fmaf(v, v, acc.y);
  }
  acc = all_lanes(acc);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = acc;
  __syncthreads();
  float2 sum = make_float2(0.f, 0.f);
  for (int k = 0; k < 4; ++k) {
    sum.x += parts[k].x;
    sum.y += parts[k].y;
  }
  const float inv = 1.0f / n;
  const float mu = sum.x * inv;
  float var = sum.y * inv - mu * mu + eps;
  if (var < 0.f) var = 0.f;
  const float r = rsqrtf(var);
  for (int i = threadIdx.x; i < n; i += 128) y[begin + i] = fmaf((x[begin + i] - mu) * r, gamma[i], beta[i]);
}

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  ln<<<rows, 128>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
