// verdict: AC
// LayerNorm in two passes with a loop that ends where the row ends. The bound of the loop is known only at run time, so the
// compiler cannot name a register for held[i]: the array moves to local memory, which is global memory by another name. The
// row of x is still read once, and the answer is right; what it costs shows as local loads in the meters.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;
constexpr int kHeld = 8;

__global__ void layernorm_kernel(const float* __restrict__ x,      // [rows, cols], dense
                                 const float* __restrict__ gamma,  // [cols]
                                 const float* __restrict__ beta,   // [cols]
                                 float* __restrict__ y,            // [rows, cols], dense
                                 int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;
  const int used = (cols - static_cast<int>(threadIdx.x) + kThreads - 1) / kThreads;  // slots of this thread that lie in the row

  float held[kHeld];
  float sum = 0.0f;
#pragma unroll 1
  for (int i = 0; i < used; ++i) {
    held[i] = x[offset + threadIdx.x + i * kThreads];
    sum += held[i];
  }
  const float mean = block_reduce<Sum>(sum, partials) / cols;
  float squares = 0.0f;
#pragma unroll 1
  for (int i = 0; i < used; ++i) squares += (held[i] - mean) * (held[i] - mean);
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
#pragma unroll 1
  for (int i = 0; i < used; ++i) {
    const int col = threadIdx.x + i * kThreads;
    y[offset + col] = (held[i] - mean) * scale * gamma[col] + beta[col];
  }
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  if (cols > kThreads * kHeld) return cudaErrorInvalidValue;
  layernorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
