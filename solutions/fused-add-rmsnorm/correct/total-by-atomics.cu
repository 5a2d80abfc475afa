// verdict: AC
// medal: lost
// mistake: every row, also a short one, is read back by a second kernel
// Up to 16 blocks a row add their squares to one total, in any order: the last bits may differ from run to run. A second kernel
// normalises.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;
constexpr int kLeastChunk = 2048;  // columns for which another block is worth its launch
constexpr int kMostChunks = 16;

__device__ float widen(float v) { return v; }
__device__ float widen(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ void narrow(float v, float& out) { out = v; }
__device__ void narrow(float v, __nv_bfloat16& out) { out = __float2bfloat16_rn(v); }

/// Block (row, c) adds the columns of chunk c: every gridDim.y-th stretch of kThreads columns.
template <class T>
__global__ void add_kernel(const T* hidden,    // [rows, cols], row stride hidden_stride
                           T* residual,        // [rows, cols], row stride residual_stride
                           float* squares_of,  // [rows]
                           int cols, long long hidden_stride, long long residual_stride) {
  __shared__ float partials[kMaxWarps];
  const T* h = hidden + blockIdx.x * hidden_stride;
  T* r = residual + blockIdx.x * residual_stride;
  float squares = 0.0f;
  for (int col = blockIdx.y * kThreads + threadIdx.x; col < cols; col += gridDim.y * kThreads) {
    narrow(widen(r[col]) + widen(h[col]), r[col]);
    squares += widen(r[col]) * widen(r[col]);
  }
  squares = block_reduce<Sum>(squares, partials);
  if (threadIdx.x == 0) atomicAdd(&squares_of[blockIdx.x], squares);
}

template <class T>
__global__ void norm_kernel(T* hidden,                // [rows, cols], row stride hidden_stride
                            const T* residual,        // [rows, cols], row stride residual_stride
                            const T* weight,          // [cols] or null
                            const float* squares_of,  // [rows]
                            int cols, float eps, long long hidden_stride, long long residual_stride) {
  T* h = hidden + blockIdx.x * hidden_stride;
  const T* r = residual + blockIdx.x * residual_stride;
  const float scale = rsqrtf(squares_of[blockIdx.x] / cols + eps);
  for (int col = blockIdx.y * kThreads + threadIdx.x; col < cols; col += gridDim.y * kThreads) {
    const float w = weight == nullptr ? 1.0f : widen(weight[col]);
    narrow(widen(r[col]) * scale * w, h[col]);
  }
}

template <class T>
cudaError_t launch(T* hidden, T* residual, const T* weight, int rows, int cols, float eps, long long hidden_stride,
                   long long residual_stride) {
  if (hidden == nullptr || rows == 0) return cudaSuccess;
  const int wanted = (cols - 1) / kLeastChunk + 1;
  const dim3 grid(rows, wanted < kMostChunks ? wanted : kMostChunks);
  float* squares_of = nullptr;  // [rows]
  cudaError_t status = cudaMallocAsync(&squares_of, sizeof(float) * rows, nullptr);
  if (status != cudaSuccess) return status;
  status = cudaMemsetAsync(squares_of, 0, sizeof(float) * rows, nullptr);
  if (status != cudaSuccess) return status;
  add_kernel<<<grid, kThreads>>>(hidden, residual, squares_of, cols, hidden_stride, residual_stride);
  status = cudaGetLastError();
  if (status == cudaSuccess) {
    norm_kernel<<<grid, kThreads>>>(hidden, residual, weight, squares_of, cols, eps, hidden_stride, residual_stride);
    status = cudaGetLastError();
  }
  const cudaError_t freed = cudaFreeAsync(squares_of, nullptr);
  return status != cudaSuccess ? status : freed;
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
