// verdict: WA
// reason: value
// cases: both-types, heads, hidden-2880, thousand-and-one, late-layer, one-column, many-short-rows, ties, not-a-number, strided, thousand-and-four, misaligned, weight-off, no-weight, rows-far-apart, very-long
// mistake: the lower half of the float is cut off where it should be rounded to nearest: every sum moves towards zero
// question: what becomes of the sixteen bits that do not fit?
// bfloat16 as the upper half of a float, taken by its bits.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 512;

__device__ float widen(float v) { return v; }
__device__ float widen(__nv_bfloat16 v) { return __uint_as_float(static_cast<unsigned>(__bfloat16_as_ushort(v)) << 16); }
__device__ void narrow(float v, float& out) { out = v; }
__device__ void narrow(float v, __nv_bfloat16& out) { out = __ushort_as_bfloat16(static_cast<unsigned short>(__float_as_uint(v) >> 16)); }

template <class T>
__global__ void fused_kernel(T* hidden,        // [rows, cols], row stride hidden_stride
                             T* residual,      // [rows, cols], row stride residual_stride
                             const T* weight,  // [cols] or null
                             int cols, float eps, long long hidden_stride, long long residual_stride) {
  __shared__ float partials[kMaxWarps];
  T* h = hidden + blockIdx.x * hidden_stride;
  T* r = residual + blockIdx.x * residual_stride;
  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    narrow(widen(r[col]) + widen(h[col]), r[col]);
    squares += widen(r[col]) * widen(r[col]);
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float w = weight == nullptr ? 1.0f : widen(weight[col]);
    narrow(widen(r[col]) * scale * w, h[col]);
  }
}

template <class T>
cudaError_t launch(T* hidden, T* residual, const T* weight, int rows, int cols, float eps, long long hidden_stride,
                   long long residual_stride) {
  if (hidden == nullptr || rows == 0) return cudaSuccess;
  fused_kernel<<<rows, kThreads>>>(hidden, residual, weight, cols, eps, hidden_stride, residual_stride);
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
