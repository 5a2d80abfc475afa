// verdict: AC
// The new residual waits in dynamic shared memory, in the type in which it is stored, as far as the device has any; the columns beyond
// are read back. One block of 512 threads a row.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 512;

__device__ float widen(float v) { return v; }
__device__ float widen(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ void narrow(float v, float& out) { out = v; }
__device__ void narrow(float v, __nv_bfloat16& out) { out = __float2bfloat16_rn(v); }

template <class T>
__global__ void fused_kernel(T* hidden,        // [rows, cols], row stride hidden_stride
                             T* residual,      // [rows, cols], row stride residual_stride
                             const T* weight,  // [cols] or null
                             int cols, int staged, float eps, long long hidden_stride, long long residual_stride) {
  extern __shared__ float shared[];  // [kMaxWarps], then T [staged]
  float* partials = shared;
  T* row = reinterpret_cast<T*>(shared + kMaxWarps);
  T* h = hidden + blockIdx.x * hidden_stride;
  T* r = residual + blockIdx.x * residual_stride;
  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    T sum;
    narrow(widen(r[col]) + widen(h[col]), sum);
    r[col] = sum;
    if (col < staged) row[col] = sum;
    squares += widen(sum) * widen(sum);
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float w = weight == nullptr ? 1.0f : widen(weight[col]);
    narrow(widen(col < staged ? row[col] : r[col]) * scale * w, h[col]);
  }
}

template <class T>
cudaError_t launch(T* hidden, T* residual, const T* weight, int rows, int cols, float eps, long long hidden_stride,
                   long long residual_stride) {
  if (hidden == nullptr || rows == 0) return cudaSuccess;
  int device = 0, most_bytes = 0;
  if (const cudaError_t status = cudaGetDevice(&device); status != cudaSuccess) return status;
  cudaError_t status = cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (status != cudaSuccess) return status;
  const int header = kMaxWarps * static_cast<int>(sizeof(float));
  const int room = (most_bytes - header) / static_cast<int>(sizeof(T));
  const int staged = cols < room ? cols : room;
  const int bytes = header + staged * static_cast<int>(sizeof(T));
  status = cudaFuncSetAttribute(fused_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (status != cudaSuccess) return status;
  fused_kernel<<<rows, kThreads, bytes>>>(hidden, residual, weight, cols, staged, eps, hidden_stride, residual_stride);
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
