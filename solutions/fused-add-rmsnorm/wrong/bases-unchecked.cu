// verdict: RTE
// reason: misaligned
// cases: misaligned, weight-off
// mistake: length and strides decide whether rows are read by 16 bytes; where the tensors begin is not asked
// question: is a view of a tensor, from its second column on, still aligned?
// Sixteen bytes a load where all rows begin alike, single elements behind the last whole vector.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstring>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

__device__ float widen(float v) { return v; }
__device__ float widen(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ void narrow(float v, float& out) { out = v; }
__device__ void narrow(float v, __nv_bfloat16& out) { out = __float2bfloat16_rn(v); }

/// The neighbours that fill 16 bytes.
template <class T>
struct alignas(16) Vector {
  static constexpr int kWidth = 16 / sizeof(T);
  T at[kWidth];
};

/// The same bits as another type.
template <class To, class From>
__device__ To as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(to));
  return to;
}

template <class T>
__global__ void fused_kernel(T* hidden,        // [rows, cols], row stride hidden_stride
                             T* residual,      // [rows, cols], row stride residual_stride
                             const T* weight,  // [cols] or null
                             int cols, int vectors, float eps, long long hidden_stride, long long residual_stride) {
  __shared__ float partials[kMaxWarps];
  T* h = hidden + blockIdx.x * hidden_stride;
  T* r = residual + blockIdx.x * residual_stride;
  constexpr int kWidth = Vector<T>::kWidth;

  float squares = 0.0f;
  for (int i = threadIdx.x; i < vectors; i += kThreads) {
    Vector<T> sum = as<Vector<T>>(reinterpret_cast<const uint4*>(r)[i]);
    const Vector<T> added = as<Vector<T>>(reinterpret_cast<const uint4*>(h)[i]);
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      narrow(widen(sum.at[k]) + widen(added.at[k]), sum.at[k]);
      squares += widen(sum.at[k]) * widen(sum.at[k]);
    }
    reinterpret_cast<uint4*>(r)[i] = as<uint4>(sum);
  }
  for (int col = vectors * kWidth + threadIdx.x; col < cols; col += kThreads) {
    narrow(widen(r[col]) + widen(h[col]), r[col]);
    squares += widen(r[col]) * widen(r[col]);
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
  for (int i = threadIdx.x; i < vectors; i += kThreads) {
    Vector<T> v = as<Vector<T>>(reinterpret_cast<const uint4*>(r)[i]);
    Vector<T> w{};
    if (weight != nullptr) w = as<Vector<T>>(reinterpret_cast<const uint4*>(weight)[i]);
#pragma unroll
    for (int k = 0; k < kWidth; ++k) narrow(widen(v.at[k]) * scale * (weight == nullptr ? 1.0f : widen(w.at[k])), v.at[k]);
    reinterpret_cast<uint4*>(h)[i] = as<uint4>(v);
  }
  for (int col = vectors * kWidth + threadIdx.x; col < cols; col += kThreads) {
    const float w = weight == nullptr ? 1.0f : widen(weight[col]);
    narrow(widen(r[col]) * scale * w, h[col]);
  }
}

template <class T>
cudaError_t launch(T* hidden, T* residual, const T* weight, int rows, int cols, float eps, long long hidden_stride,
                   long long residual_stride) {
  if (hidden == nullptr || rows == 0) return cudaSuccess;
  constexpr int kWidth = Vector<T>::kWidth;
  const int vectors = hidden_stride % kWidth == 0 && residual_stride % kWidth == 0 ? cols / kWidth : 0;
  fused_kernel<<<rows, kThreads>>>(hidden, residual, weight, cols, vectors, eps, hidden_stride, residual_stride);
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
