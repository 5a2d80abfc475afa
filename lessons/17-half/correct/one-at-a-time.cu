// verdict: AC
// One element a lane: no pairs, no alignment, no tail. A request of a warp moves 64 bytes, 2 sectors; twice the instructions for the same
// bytes.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

template <class T>
__global__ void rmsnorm_kernel(const T* __restrict__ x,       // [rows, cols], dense
                               const T* __restrict__ weight,  // [cols]
                               T* __restrict__ y,             // [rows, cols], dense
                               int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  const T* in = x + static_cast<size_t>(blockIdx.x) * cols;
  T* out = y + static_cast<size_t>(blockIdx.x) * cols;
  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float v = static_cast<float>(in[col]);
    squares += v * v;
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    out[col] = static_cast<T>(static_cast<float>(in[col]) * scale * static_cast<float>(weight[col]));
  }
}

}  // namespace

cudaError_t launch_rmsnorm(const __half* x_half, const __half* weight_half, __half* y_half, const __nv_bfloat16* x_bf16,
                           const __nv_bfloat16* weight_bf16, __nv_bfloat16* y_bf16, int rows, int cols, float eps) {
  if (x_half != nullptr) rmsnorm_kernel<<<rows, kThreads>>>(x_half, weight_half, y_half, cols, eps);
  if (x_bf16 != nullptr) rmsnorm_kernel<<<rows, kThreads>>>(x_bf16, weight_bf16, y_bf16, cols, eps);
  return cudaGetLastError();
}
