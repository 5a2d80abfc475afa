// verdict: WA
// reason: value
// cases: both-types, heads, hidden-2880, thousand-and-one, late-layer, many-short-rows, not-a-number, strided, thousand-and-four, misaligned, weight-off, no-weight, rows-far-apart, very-long
// mistake: the register keeps the float sum, memory the rounded one: squares and output are those of a row that nobody has
// question: which number is normalised: the one in your register, or the one that the next layer will read?
// Registers keep a row of up to 16,384 columns as float; what lies beyond is read back.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 1024;
constexpr int kHeld = 16;

__device__ float widen(float v) { return v; }
__device__ float widen(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ void narrow(float v, float& out) { out = v; }
__device__ void narrow(float v, __nv_bfloat16& out) { out = __float2bfloat16_rn(v); }

template <class T>
__global__ void __launch_bounds__(kThreads) fused_kernel(T* hidden,        // [rows, cols], row stride hidden_stride
                                                         T* residual,      // [rows, cols], row stride residual_stride
                                                         const T* weight,  // [cols] or null
                                                         int cols, float eps, long long hidden_stride, long long residual_stride) {
  __shared__ float partials[kMaxWarps];
  T* h = hidden + blockIdx.x * hidden_stride;
  T* r = residual + blockIdx.x * residual_stride;
  float held[kHeld];
  float squares = 0.0f;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    held[i] = col < cols ? widen(r[col]) + widen(h[col]) : 0.0f;
    squares += held[i] * held[i];
    if (col < cols) narrow(held[i], r[col]);
  }
  for (int col = threadIdx.x + kHeld * kThreads; col < cols; col += kThreads) {
    const float sum = widen(r[col]) + widen(h[col]);
    squares += sum * sum;
    narrow(sum, r[col]);
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
  const auto write = [&](int col, float sum) {
    const float w = weight == nullptr ? 1.0f : widen(weight[col]);
    narrow(sum * scale * w, h[col]);
  };
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    if (const int col = threadIdx.x + i * kThreads; col < cols) write(col, held[i]);
  }
  for (int col = threadIdx.x + kHeld * kThreads; col < cols; col += kThreads) write(col, widen(r[col]));
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
