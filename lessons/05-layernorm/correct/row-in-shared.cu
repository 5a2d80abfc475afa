// verdict: AC
// LayerNorm with the row in shared memory: read once, mean first, then squared distances. Rows that do not fit are read three
// times by the same code. 128 threads a row.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 128;
constexpr int kRowCapacity = 8192;  // 32 KB

template <bool kStaged>
__global__ void layernorm_kernel(const float* __restrict__ x,      // [rows, cols], dense
                                 const float* __restrict__ gamma,  // [cols]
                                 const float* __restrict__ beta,   // [cols]
                                 float* __restrict__ y,            // [rows, cols], dense
                                 int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  __shared__ float staged[kStaged ? kRowCapacity : 1];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;
  const float* row = kStaged ? staged : x + offset;

  // A thread only ever reads back what it wrote itself: no barrier is needed for the row.
  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float value = x[offset + col];
    if (kStaged) staged[col] = value;
    sum += value;
  }
  const float mean = block_reduce<Sum>(sum, partials) / cols;
  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) squares += (row[col] - mean) * (row[col] - mean);
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    y[offset + col] = (row[col] - mean) * scale * gamma[col] + beta[col];
  }
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  if (cols <= kRowCapacity) {
    layernorm_kernel<true><<<rows, kThreads>>>(x, gamma, beta, y, cols, eps);
  } else {
    layernorm_kernel<false><<<rows, kThreads>>>(x, gamma, beta, y, cols, eps);
  }
  return cudaGetLastError();
}
