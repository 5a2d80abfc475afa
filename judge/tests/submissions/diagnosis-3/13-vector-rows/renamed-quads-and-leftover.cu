// mistake-of: length-for-stride
#include <cuda_runtime.h>
#include <stdint.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kBlock = 256;
constexpr int kQuad = 4;
constexpr int kMostColumns = 8192;

__device__ float fetch(const float* __restrict__ src, float* __restrict__ cache, int n, int quads) {
  float acc = 0.0f;
  for (int q = threadIdx.x; q < quads; q += kBlock) {
    const float4 f = reinterpret_cast<const float4*>(src)[q];
    reinterpret_cast<float4*>(cache)[q] = f;
    acc += (f.x + f.y) + (f.z + f.w);
  }
  for (int c = kQuad * quads + threadIdx.x; c < n; c += kBlock) {
    cache[c] = src[c];
    acc += cache[c];
  }
  return acc;
}

__device__ float spread(const float* __restrict__ cache, int n, int quads, float mu) {
  float acc = 0.0f;
  for (int q = threadIdx.x; q < quads; q += kBlock) {
    const float4 f = reinterpret_cast<const float4*>(cache)[q];
    const float d0 = f.x - mu, d1 = f.y - mu, d2 = f.z - mu, d3 = f.w - mu;
    acc += d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3;
  }
  for (int c = kQuad * quads + threadIdx.x; c < n; c += kBlock) {
    const float d = cache[c] - mu;
    acc += d * d;
  }
  return acc;
}

__global__ void __launch_bounds__(kBlock)
    normalise(const float* __restrict__ in, const float* __restrict__ mul, const float* __restrict__ add, float* __restrict__ out, int n,
              long long in_step, long long out_step, float eps, int quads) {
  __shared__ float parts[kMaxWarps];
  __shared__ __align__(16) float cache[kMostColumns];
  const float* src = in + blockIdx.x * in_step;
  float* dst = out + blockIdx.x * out_step;

  const float mu = block_reduce<Sum>(fetch(src, cache, n, quads), parts) / n;
  const float var = block_reduce<Sum>(spread(cache, n, quads, mu), parts) / n;
  const float inv = rsqrtf(var + eps);

  for (int q = threadIdx.x; q < quads; q += kBlock) {
    const float4 f = reinterpret_cast<const float4*>(cache)[q];
    const float4 m = reinterpret_cast<const float4*>(mul)[q];
    const float4 a = reinterpret_cast<const float4*>(add)[q];
    float4 r;
    r.x = (f.x - mu) * inv * m.x + a.x;
    r.y = (f.y - mu) * inv * m.y + a.y;
    r.z = (f.z - mu) * inv * m.z + a.z;
    r.w = (f.w - mu) * inv * m.w + a.w;
    reinterpret_cast<float4*>(dst)[q] = r;
  }
  for (int c = kQuad * quads + threadIdx.x; c < n; c += kBlock) dst[c] = (cache[c] - mu) * inv * mul[c] + add[c];
}

bool sixteen(const void* p) { return (reinterpret_cast<uintptr_t>(p) & 15) == 0; }

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, long long x_stride,
                             long long y_stride, float eps) {
  if (cols > kMostColumns) return cudaErrorInvalidValue;
  int quads = 0;
  if (sixteen(x) && sixteen(y) && sixteen(gamma) && sixteen(beta) && cols % kQuad == 0) quads = cols / kQuad;
  normalise<<<rows, kBlock>>>(x, gamma, beta, y, cols, x_stride, y_stride, eps, quads);
  return cudaGetLastError();
}
