// verdict: AC
// medal: lost
// mistake: two kernels hand the residual on through memory, and the norm reads it twice
// An add and a norm as separate kernels: six passes. The add is one grid over all elements, the norm a warp a row.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::kWarpSize;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kThreads = 128;
constexpr int kRowsPerBlock = kThreads / kWarpSize;

__device__ float widen(float v) { return v; }
__device__ float widen(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ void narrow(float v, float& out) { out = v; }
__device__ void narrow(float v, __nv_bfloat16& out) { out = __float2bfloat16_rn(v); }

/// One element a thread, whatever its row.
template <class T>
__global__ void add_kernel(const T* hidden,  // [rows, cols], row stride hidden_stride
                           T* residual,      // [rows, cols], row stride residual_stride
                           int rows, int cols, long long hidden_stride, long long residual_stride) {
  const long long at = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  const long long row = at / cols, col = at % cols;
  if (row >= rows) return;
  T& place = residual[row * residual_stride + col];
  narrow(widen(place) + widen(hidden[row * hidden_stride + col]), place);
}

template <class T>
__global__ void norm_kernel(T* hidden,          // [rows, cols], row stride hidden_stride
                            const T* residual,  // [rows, cols], row stride residual_stride
                            const T* weight,    // [cols] or null
                            int rows, int cols, float eps, long long hidden_stride, long long residual_stride) {
  const int lane = threadIdx.x % kWarpSize;
  const long long row = static_cast<long long>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kWarpSize;
  if (row >= rows) return;
  const T* r = residual + row * residual_stride;
  float squares = 0.0f;
  for (int col = lane; col < cols; col += kWarpSize) squares += widen(r[col]) * widen(r[col]);
  const float scale = 1.0f / sqrtf(warp_reduce<Sum>(squares) / cols + eps);
  for (int col = lane; col < cols; col += kWarpSize) {
    const float w = weight == nullptr ? 1.0f : widen(weight[col]);
    narrow(widen(r[col]) * scale * w, hidden[row * hidden_stride + col]);
  }
}

template <class T>
cudaError_t launch(T* hidden, T* residual, const T* weight, int rows, int cols, float eps, long long hidden_stride,
                   long long residual_stride) {
  if (hidden == nullptr || rows == 0) return cudaSuccess;
  const long long elements = static_cast<long long>(rows) * cols;
  add_kernel<<<static_cast<unsigned>((elements - 1) / kThreads + 1), kThreads>>>(hidden, residual, rows, cols, hidden_stride,
                                                                                 residual_stride);
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess) return status;
  norm_kernel<<<(rows - 1) / kRowsPerBlock + 1, kThreads>>>(hidden, residual, weight, rows, cols, eps, hidden_stride, residual_stride);
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
