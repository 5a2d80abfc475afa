// verdict: WA, RTE
// reason: value, invalid-launch
// cases: both-types, hidden-2880, widest-float, late-layer, one-column, many-short-rows, ties, small-values, not-a-number, strided, thousand-and-four, misaligned, weight-off, no-weight, rows-far-apart, one-more, very-long
// mistake: the number of blocks is rounded down: up to three rows at the end find no warp, and with fewer than four nothing is launched
// question: how many blocks of four rows do five rows need?
// A warp a row, four rows a block.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::kWarpSize;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kRowsPerBlock = 4;

__device__ float widen(float v) { return v; }
__device__ float widen(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ void narrow(float v, float& out) { out = v; }
__device__ void narrow(float v, __nv_bfloat16& out) { out = __float2bfloat16_rn(v); }

template <class T>
__global__ void fused_kernel(T* hidden,        // [rows, cols], row stride hidden_stride
                             T* residual,      // [rows, cols], row stride residual_stride
                             const T* weight,  // [cols] or null
                             int rows, int cols, float eps, long long hidden_stride, long long residual_stride) {
  const int lane = threadIdx.x % kWarpSize;
  const long long row = static_cast<long long>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kWarpSize;
  if (row >= rows) return;
  T* h = hidden + row * hidden_stride;
  T* r = residual + row * residual_stride;
  float squares = 0.0f;
  for (int col = lane; col < cols; col += kWarpSize) {
    narrow(widen(r[col]) + widen(h[col]), r[col]);
    squares += widen(r[col]) * widen(r[col]);
  }
  const float scale = rsqrtf(warp_reduce<Sum>(squares) / cols + eps);
  for (int col = lane; col < cols; col += kWarpSize) {
    const float w = weight == nullptr ? 1.0f : widen(weight[col]);
    narrow(widen(r[col]) * scale * w, h[col]);
  }
}

template <class T>
cudaError_t launch(T* hidden, T* residual, const T* weight, int rows, int cols, float eps, long long hidden_stride,
                   long long residual_stride) {
  if (hidden == nullptr || rows == 0) return cudaSuccess;
  const int blocks = rows / kRowsPerBlock;
  fused_kernel<<<blocks, kRowsPerBlock * kWarpSize>>>(hidden, residual, weight, rows, cols, eps, hidden_stride, residual_stride);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_fused_add_rmsnorm(float* hidden,                     // [rows, cols], row stride hidden_stride
                                     float* residual,                   // [rows, cols], row stride residual_stride
                                     const float* weight,               // [cols] or null
                                     __nv_bfloat16* hidden_bf16,        // [rows, cols], row stride hidden_bf16_stride
                                     __nv_bfloat16* residual_bf16,      // [rows, cols], row stride residual_bf16_stride
                                     const __nv_bfloat16* weight_bf16,  // [cols] or null
                                     int rows, int cols, float eps, long long hidden_stride, long long residual_stride,
                                     long long hidden_bf16_stride, long long residual_bf16_stride) {
  const cudaError_t status = launch(hidden, residual, weight, rows, cols, eps, hidden_stride, residual_stride);
  if (status != cudaSuccess) return status;
  return launch(hidden_bf16, residual_bf16, weight_bf16, rows, cols, eps, hidden_bf16_stride, residual_bf16_stride);
}
