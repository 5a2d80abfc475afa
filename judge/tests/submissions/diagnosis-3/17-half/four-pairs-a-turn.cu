// mistake-of: one-of-the-pair
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 128;

struct HalfTraits {
  using One = __half;
  using Two = __half2;
  static __device__ float up(One v) { return __half2float(v); }
  static __device__ float2 up2(Two v) { return __half22float2(v); }
  static __device__ One down(float v) { return __float2half_rn(v); }
  static __device__ Two down2(float a, float b) { return __float22half2_rn(make_float2(a, b)); }
};

struct BfloatTraits {
  using One = __nv_bfloat16;
  using Two = __nv_bfloat162;
  static __device__ float up(One v) { return __bfloat162float(v); }
  static __device__ float2 up2(Two v) { return __bfloat1622float2(v); }
  static __device__ One down(float v) { return __float2bfloat16_rn(v); }
  static __device__ Two down2(float a, float b) { return __float22bfloat162_rn(make_float2(a, b)); }
};

template <class F>
__device__ float square_of(typename F::Two pair) {
  const float2 f = F::up2(pair);
  return f.x * f.x;
}

template <class F>
__global__ void rmsnorm(const typename F::One* __restrict__ x, const typename F::One* __restrict__ weight, typename F::One* __restrict__ y,
                        int cols, float eps) {
  using Two = typename F::Two;
  __shared__ float partials[kMaxWarps];
  x += static_cast<size_t>(blockIdx.x) * cols;
  y += static_cast<size_t>(blockIdx.x) * cols;
  const uintptr_t places = reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(y) | reinterpret_cast<uintptr_t>(weight);
  const int pairs = places % 4 == 0 ? cols / 2 : 0;
  const Two* x2 = reinterpret_cast<const Two*>(x);

  // four sums side by side, then what is left
  float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
  int i = threadIdx.x;
  while (i + 3 * kThreads < pairs) {
    s0 += square_of<F>(x2[i]);
    s1 += square_of<F>(x2[i + kThreads]);
    s2 += square_of<F>(x2[i + 2 * kThreads]);
    s3 += square_of<F>(x2[i + 3 * kThreads]);
    i += 4 * kThreads;
  }
  while (i < pairs) {
    s0 += square_of<F>(x2[i]);
    i += kThreads;
  }
  int col = 2 * pairs + threadIdx.x;
  while (col < cols) {
    const float f = F::up(x[col]);
    s1 += f * f;
    col += kThreads;
  }
  const float squares = block_reduce<Sum>((s0 + s1) + (s2 + s3), partials);
  const float scale = rsqrtf(squares / cols + eps);

  i = threadIdx.x;
  while (i < pairs) {
    const float2 f = F::up2(x2[i]);
    const float2 w = F::up2(reinterpret_cast<const Two*>(weight)[i]);
    reinterpret_cast<Two*>(y)[i] = F::down2(f.x * scale * w.x, f.y * scale * w.y);
    i += kThreads;
  }
  col = 2 * pairs + threadIdx.x;
  while (col < cols) {
    y[col] = F::down(F::up(x[col]) * scale * F::up(weight[col]));
    col += kThreads;
  }
}

}  // namespace

cudaError_t launch_rmsnorm(const __half* x_half, const __half* weight_half, __half* y_half, const __nv_bfloat16* x_bf16,
                           const __nv_bfloat16* weight_bf16, __nv_bfloat16* y_bf16, int rows, int cols, float eps) {
  if (x_half) {
    rmsnorm<HalfTraits><<<rows, kThreads>>>(x_half, weight_half, y_half, cols, eps);
    const cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess) return status;
  }
  if (x_bf16) rmsnorm<BfloatTraits><<<rows, kThreads>>>(x_bf16, weight_bf16, y_bf16, cols, eps);
  return cudaGetLastError();
}
