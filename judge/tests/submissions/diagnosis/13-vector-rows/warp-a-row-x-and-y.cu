// mistake-of: weights-unchecked
#include <cuda_runtime.h>
#include <stdint.h>

// Each row decides for itself: a warp a row, 4 rows a block.
__device__ float over_warp(float v) {
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
  return v;
}

__device__ bool ok(const float* p) { return (uintptr_t)p % sizeof(float4) == 0; }

__global__ void rows(const float* x, const float* gamma, const float* beta, float* y, int nrows, int n, long long xs, long long ys,
                     float eps) {
  const int r = blockIdx.x * 4 + threadIdx.y;
  if (r >= nrows) return;
  const float* a = x + r * xs;
  float* b = y + r * ys;
  int head = 0;  // columns that go by fours
  if (ok(a) && ok(b)) head = n - n % 4;

  float s = 0.f;
  for (int i = 4 * threadIdx.x; i < head; i += 128) {
    float4 v = *(const float4*)(a + i);
    s += (v.x + v.z) + (v.y + v.w);
  }
  for (int i = head + threadIdx.x; i < n; i += 32) s += a[i];
  const float mu = over_warp(s) / n;

  s = 0.f;
  for (int i = threadIdx.x; i < n; i += 32) {
    const float d = a[i] - mu;
    s = fmaf(d, d, s);
  }
  const float f = 1.f / sqrtf(over_warp(s) / n + eps);

  for (int i = 4 * threadIdx.x; i < head; i += 128) {
    float4 v = *(const float4*)(a + i), g = *(const float4*)(gamma + i), h = *(const float4*)(beta + i);
    v.x = (v.x - mu) * f * g.x + h.x;
    v.y = (v.y - mu) * f * g.y + h.y;
    v.z = (v.z - mu) * f * g.z + h.z;
    v.w = (v.w - mu) * f * g.w + h.w;
    *(float4*)(b + i) = v;
  }
  for (int i = head + threadIdx.x; i < n; i += 32) b[i] = (a[i] - mu) * f * gamma[i] + beta[i];
}

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows_, int cols, long long x_stride,
                             long long y_stride, float eps) {
  if (cols > 8192) return cudaErrorInvalidValue;
  rows<<<(rows_ + 3) / 4, dim3(32, 4)>>>(x, gamma, beta, y, rows_, cols, x_stride, y_stride, eps);
  return cudaGetLastError();
}
