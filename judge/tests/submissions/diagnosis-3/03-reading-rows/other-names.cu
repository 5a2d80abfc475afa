// mistake-of: output-unchecked
#include <cuda_runtime.h>

#include <cstdint>

#include "common/kernel/watch.cuh"

namespace {

constexpr int kBlock = 256;
constexpr int kPack = 4;

__device__ bool fits(const float* p) { return (reinterpret_cast<std::uintptr_t>(p) & 15u) == 0; }

__device__ void move_pack(const float* __restrict__ from, float* __restrict__ to, int k, float a) {
  float4 q = reinterpret_cast<const float4*>(from)[k];
  q.x *= a;
  q.y *= a;
  q.z *= a;
  q.w *= a;
  reinterpret_cast<float4*>(to)[k] = q;
}

__global__ void scale_rows(const float* __restrict__ src, float* __restrict__ dst, int n, long long src_step, long long dst_step, float a) {
  const float* from = src + blockIdx.x * src_step;
  float* to = dst + blockIdx.x * dst_step;

  const int packs = fits(from) ? n / kPack : 0;
  for (int k = threadIdx.x; k < packs; k += kBlock) move_pack(from, to, k, a);
  for (int j = packs * kPack + threadIdx.x; j < n; j += kBlock) to[j] = a * from[j];
}

}  // namespace

cudaError_t launch_row_scale(const float* x, float* y, int rows, int cols, long long x_stride, long long y_stride, float alpha) {
  scale_rows<<<rows, kBlock>>>(x, y, cols, x_stride, y_stride, alpha);
  return cudaGetLastError();
}
