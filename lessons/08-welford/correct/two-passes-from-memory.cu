// verdict: AC
// medal: lost
// mistake: the mean in one walk and the squared distances in a second: as accurate, and x is read three times
// LayerNorm in two passes that read the row from memory each time. It is right for every length, and what Welford's moments save
// against it is one read of x.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

__global__ void layernorm_kernel(const float* __restrict__ x,      // [rows, cols], dense
                                 const float* __restrict__ gamma,  // [cols]
                                 const float* __restrict__ beta,   // [cols]
                                 float* __restrict__ y,            // [rows, cols], dense
                                 int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;

  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) sum += x[offset + col];
  const float mean = block_reduce<Sum>(sum, partials) / cols;
  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) squares += (x[offset + col] - mean) * (x[offset + col] - mean);
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    y[offset + col] = (x[offset + col] - mean) * scale * gamma[col] + beta[col];
  }
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  layernorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
