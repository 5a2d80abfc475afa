// verdict: AC
// RMSNorm that reads four floats a load where every row starts at a multiple of 16 bytes, and one where it does not. The root and
// the division are the accurate ones, and the mean multiplies by 1 / cols.
#include <cuda_runtime.h>

#include <cstdint>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 128;

template <bool kVectors>
__global__ void rmsnorm_kernel(const float* __restrict__ x,       // [rows, cols], dense
                               const float* __restrict__ weight,  // [cols]
                               float* __restrict__ y,             // [rows, cols], dense
                               int cols, float inverse_cols, float eps) {
  __shared__ float partials[kMaxWarps];
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  float* out = y + static_cast<size_t>(blockIdx.x) * cols;
  float mine = 0.0f;
  if (kVectors) {
    for (int i = threadIdx.x; i < cols / 4; i += kThreads) {
      const float4 v = reinterpret_cast<const float4*>(row)[i];
      mine += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
  } else {
    for (int col = threadIdx.x; col < cols; col += kThreads) mine += row[col] * row[col];
  }
  const float scale = 1.0f / sqrtf(block_reduce<Sum>(mine, partials) * inverse_cols + eps);
  if (kVectors) {
    for (int i = threadIdx.x; i < cols / 4; i += kThreads) {
      const float4 v = reinterpret_cast<const float4*>(row)[i];
      const float4 w = reinterpret_cast<const float4*>(weight)[i];
      reinterpret_cast<float4*>(out)[i] = make_float4(v.x * scale * w.x, v.y * scale * w.y, v.z * scale * w.z, v.w * scale * w.w);
    }
  } else {
    for (int col = threadIdx.x; col < cols; col += kThreads) out[col] = row[col] * scale * weight[col];
  }
}

bool on_16_bytes(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0; }

}  // namespace

cudaError_t launch_rmsnorm(const float* x, const float* weight, float* y, int rows, int cols, float eps) {
  const float inverse_cols = 1.0f / cols;
  if (cols % 4 == 0 && on_16_bytes(x) && on_16_bytes(weight) && on_16_bytes(y)) {
    rmsnorm_kernel<true><<<rows, kThreads>>>(x, weight, y, cols, inverse_cols, eps);
  } else {
    rmsnorm_kernel<false><<<rows, kThreads>>>(x, weight, y, cols, inverse_cols, eps);
  }
  return cudaGetLastError();
}
