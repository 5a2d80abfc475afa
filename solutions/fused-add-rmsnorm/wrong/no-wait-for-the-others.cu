// verdict: WA
// reason: value
// cases: hidden-2880, widest-float, late-layer, one-more, very-long
// mistake: each block adds its squares to the total and reads it at once, when other blocks of the row have not added theirs
// question: what makes sure that the other blocks have finished when this one reads the total?
// Up to 16 blocks a row, one launch. The barrier of a block stands between the addition and the reading, and knows nothing of other blocks.
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

template <class T>
__global__ void fused_kernel(T* hidden,        // [rows, cols], row stride hidden_stride
                             T* residual,      // [rows, cols], row stride residual_stride
                             const T* weight,  // [cols] or null
                             float* totals,    // [rows], zero
                             int cols, float eps, long long hidden_stride, long long residual_stride) {
  __shared__ float partials[kMaxWarps];
  T* h = hidden + blockIdx.x * hidden_stride;
  T* r = residual + blockIdx.x * residual_stride;
  float squares = 0.0f;
  for (int col = blockIdx.y * kThreads + threadIdx.x; col < cols; col += gridDim.y * kThreads) {
    narrow(widen(r[col]) + widen(h[col]), r[col]);
    squares += widen(r[col]) * widen(r[col]);
  }
  squares = block_reduce<Sum>(squares, partials);
  if (threadIdx.x == 0) atomicAdd(&totals[blockIdx.x], squares);
  __syncthreads();
  const float scale = rsqrtf(atomicAdd(&totals[blockIdx.x], 0.0f) / cols + eps);
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
  float* totals = nullptr;  // [rows]
  cudaError_t status = cudaMallocAsync(&totals, sizeof(float) * rows, nullptr);
  if (status != cudaSuccess) return status;
  status = cudaMemsetAsync(totals, 0, sizeof(float) * rows, nullptr);
  if (status != cudaSuccess) return status;
  fused_kernel<<<grid, kThreads>>>(hidden, residual, weight, totals, cols, eps, hidden_stride, residual_stride);
  status = cudaGetLastError();
  const cudaError_t freed = cudaFreeAsync(totals, nullptr);
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
