// verdict: AC
// medal: lost
// What fusion replaces: a kernel that adds, and a kernel that normalises in two walks. Six passes and two launches.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

__global__ void add_kernel(float* residual,                   // [count]
                           const float* __restrict__ hidden,  // [count]
                           long long count) {
  const long long i = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < count) residual[i] += hidden[i];
}

__global__ void rmsnorm_kernel(const float* __restrict__ residual,  // [rows, cols], dense
                               const float* __restrict__ weight,    // [cols]
                               float* __restrict__ hidden,          // [rows, cols], dense
                               int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;
  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) squares += residual[offset + col] * residual[offset + col];
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
  for (int col = threadIdx.x; col < cols; col += kThreads) hidden[offset + col] = residual[offset + col] * scale * weight[col];
}

}  // namespace

cudaError_t launch_fused_add_rmsnorm(float* hidden, float* residual, const float* weight, int rows, int cols, float eps) {
  const long long count = static_cast<long long>(rows) * cols;
  add_kernel<<<static_cast<unsigned>((count + kThreads - 1) / kThreads), kThreads>>>(residual, hidden, count);
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess) return status;
  rmsnorm_kernel<<<rows, kThreads>>>(residual, weight, hidden, cols, eps);
  return cudaGetLastError();
}
