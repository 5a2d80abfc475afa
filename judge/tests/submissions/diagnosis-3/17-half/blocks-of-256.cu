// mistake-of: rounded-twice
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

/// Widening is exact. Narrowing rounds to nearest, ties to even.
__device__ float widen(__half v) { return __half2float(v); }
__device__ float widen(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ float2 widen(__half2 v) { return __half22float2(v); }
__device__ float2 widen(__nv_bfloat162 v) { return __bfloat1622float2(v); }
__device__ void narrow(float v, __half& out) { out = __float2half_rn(v); }
__device__ void narrow(float v, __nv_bfloat16& out) { out = __float2bfloat16_rn(v); }
__device__ void narrow(float2 v, __half2& out) { out = __float22half2_rn(v); }
__device__ void narrow(float2 v, __nv_bfloat162& out) { out = __float22bfloat162_rn(v); }

/// Whether pairs of 16-bit elements may be read or written from here on.
__device__ bool starts_on_pair(const void* place) { return reinterpret_cast<std::uintptr_t>(place) % 4 == 0; }

/// This thread's share of the sum of squares of a row.
template <class T, class Pair>
__device__ float share_of_squares(const T* __restrict__ row, int cols, int pairs) {
  float squares = 0.0f;
  for (int i = threadIdx.x; i < pairs; i += kThreads) {
    const float2 v = widen(reinterpret_cast<const Pair*>(row)[i]);
    squares += v.x * v.x;
    squares += v.y * v.y;
    WATCH(squares);
  }
  for (int col = 2 * pairs + threadIdx.x; col < cols; col += kThreads) {
    const float v = widen(row[col]);
    squares += v * v;
  }
  return squares;
}

/// Block r normalises row r.
template <class T, class Pair>
__global__ void rmsnorm_kernel(const T* __restrict__ x, const T* __restrict__ weight, T* __restrict__ y, int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  const T* in = x + static_cast<size_t>(blockIdx.x) * cols;
  T* out = y + static_cast<size_t>(blockIdx.x) * cols;
  const bool whole = starts_on_pair(in) && starts_on_pair(out) && starts_on_pair(weight);
  const int pairs = whole ? cols / 2 : 0;

  const float squares = share_of_squares<T, Pair>(in, cols, pairs);
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
  WATCH(scale);

  for (int i = threadIdx.x; i < pairs; i += kThreads) {
    float2 v = widen(reinterpret_cast<const Pair*>(in)[i]);
    v.x *= scale;
    v.y *= scale;
    Pair normalised;
    narrow(v, normalised);
    v = widen(normalised);
    const float2 w = widen(reinterpret_cast<const Pair*>(weight)[i]);
    narrow(make_float2(v.x * w.x, v.y * w.y), reinterpret_cast<Pair*>(out)[i]);
  }
  for (int col = 2 * pairs + threadIdx.x; col < cols; col += kThreads) {
    T normalised;
    narrow(widen(in[col]) * scale, normalised);
    narrow(widen(normalised) * widen(weight[col]), out[col]);
  }
}

}  // namespace

/// rows, cols >= 1. Of each type all three tensors are given, or none.
cudaError_t launch_rmsnorm(const __half* x_half, const __half* weight_half, __half* y_half, const __nv_bfloat16* x_bf16,
                           const __nv_bfloat16* weight_bf16, __nv_bfloat16* y_bf16, int rows, int cols, float eps) {
  if (x_half != nullptr) rmsnorm_kernel<__half, __half2><<<rows, kThreads>>>(x_half, weight_half, y_half, cols, eps);
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess) return status;
  if (x_bf16 != nullptr) rmsnorm_kernel<__nv_bfloat16, __nv_bfloat162><<<rows, kThreads>>>(x_bf16, weight_bf16, y_bf16, cols, eps);
  return cudaGetLastError();
}
