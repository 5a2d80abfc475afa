// mistake-of: mean-in-type
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::kWarpSize;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kWarps = 4;  // rows of a block, one a warp

__device__ float up(__half v) { return __half2float(v); }
__device__ float up(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ float2 up(__half2 v) { return __half22float2(v); }
__device__ float2 up(__nv_bfloat162 v) { return __bfloat1622float2(v); }
template <class To>
__device__ To down(float v);
template <>
__device__ __half down<__half>(float v) {
  return __float2half_rn(v);
}
template <>
__device__ __nv_bfloat16 down<__nv_bfloat16>(float v) {
  return __float2bfloat16_rn(v);
}
__device__ void put(__half2* to, float2 v) { *to = __float22half2_rn(v); }
__device__ void put(__nv_bfloat162* to, float2 v) { *to = __float22bfloat162_rn(v); }

template <class T, class T2>
__global__ void rmsnorm_warps(const T* __restrict__ x, const T* __restrict__ weight, T* __restrict__ y, int rows, int cols, float eps) {
  const int row = blockIdx.x * kWarps + threadIdx.x / kWarpSize;
  if (row >= rows) return;  // the whole warp goes
  const int lane = threadIdx.x % kWarpSize;
  const T* in = x + static_cast<size_t>(row) * cols;
  T* out = y + static_cast<size_t>(row) * cols;
  const bool pairs_allowed =
      ((reinterpret_cast<uintptr_t>(in) | reinterpret_cast<uintptr_t>(out) | reinterpret_cast<uintptr_t>(weight)) & 3) == 0;
  const int pairs = pairs_allowed ? cols / 2 : 0;

  float squares = 0.0f;
  for (int i = lane; i < pairs; i += kWarpSize) {
    const float2 v = up(reinterpret_cast<const T2*>(in)[i]);
    squares += v.x * v.x + v.y * v.y;
  }
  for (int c = 2 * pairs + lane; c < cols; c += kWarpSize) squares += up(in[c]) * up(in[c]);
  squares = warp_reduce<Sum>(squares);

  const T mean_square = down<T>(squares / cols);
  const T small = down<T>(eps);
  const float scale = rsqrtf(up(mean_square) + up(small));

  for (int i = lane; i < pairs; i += kWarpSize) {
    const float2 v = up(reinterpret_cast<const T2*>(in)[i]);
    const float2 w = up(reinterpret_cast<const T2*>(weight)[i]);
    put(reinterpret_cast<T2*>(out) + i, make_float2(v.x * scale * w.x, v.y * scale * w.y));
  }
  for (int c = 2 * pairs + lane; c < cols; c += kWarpSize) out[c] = down<T>(up(in[c]) * scale * up(weight[c]));
}

}  // namespace

cudaError_t launch_rmsnorm(const __half* x_half, const __half* weight_half, __half* y_half, const __nv_bfloat16* x_bf16,
                           const __nv_bfloat16* weight_bf16, __nv_bfloat16* y_bf16, int rows, int cols, float eps) {
  const int blocks = (rows + kWarps - 1) / kWarps;
  cudaError_t status = cudaSuccess;
  if (x_half != nullptr) {
    rmsnorm_warps<__half, __half2><<<blocks, kWarps * kWarpSize>>>(x_half, weight_half, y_half, rows, cols, eps);
    status = cudaGetLastError();
  }
  if (status == cudaSuccess && x_bf16 != nullptr) {
    rmsnorm_warps<__nv_bfloat16, __nv_bfloat162><<<blocks, kWarps * kWarpSize>>>(x_bf16, weight_bf16, y_bf16, rows, cols, eps);
    status = cudaGetLastError();
  }
  return status;
}
