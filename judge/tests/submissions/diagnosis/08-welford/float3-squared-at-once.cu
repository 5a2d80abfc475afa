// mistake-of: old-distance-twice
#include <cuda_runtime.h>

// (count, mean, sum of squared distances) in the x, y, z of a float3
__device__ float3 both(float3 a, float3 b) {
  float n = a.x + b.x;
  float wb = n > 0.f ? b.x / n : 0.f;
  float d = b.y - a.y;
  float3 r;
  r.x = n;
  r.y = a.y + wb * d;
  r.z = a.z + b.z + d * d * wb * a.x;
  return r;
}

__device__ float3 from_lane_below(float3 a, int d) {
  return make_float3(__shfl_down_sync(~0u, a.x, d), __shfl_down_sync(~0u, a.y, d), __shfl_down_sync(~0u, a.z, d));
}

__global__ void welford(const float* x, const float* gamma, const float* beta, float* y, int n, float eps) {
  __shared__ float3 slot[32];
  const size_t at = (size_t)blockIdx.x * n;
  const int warps = blockDim.x / 32;
  float3 m = make_float3(0.f, 0.f, 0.f);
  int i = threadIdx.x;
  while (i < n) {
    const float v = x[at + i];
    m.x += 1.f;
    const float d = v - m.y;
    m.y += d / m.x;
    m.z += d * d;
    i += blockDim.x;
  }
  for (int d = 16; d; d /= 2) m = both(m, from_lane_below(m, d));
  if (threadIdx.x % 32 == 0) slot[threadIdx.x / 32] = m;
  __syncthreads();
  // each thread joins the list for itself, in the same order
  m = slot[0];
  for (int w = 1; w < warps; ++w) m = both(m, slot[w]);
  const float s = 1.f / sqrtf(m.z / n + eps);
  for (i = threadIdx.x; i < n; i += blockDim.x) y[at + i] = s * (x[at + i] - m.y) * gamma[i] + beta[i];
}

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  welford<<<rows, 512>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
