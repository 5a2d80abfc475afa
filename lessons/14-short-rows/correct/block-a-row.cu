// verdict: AC
// medal: lost
// mistake: each row gets a block of its own, in which most threads have no column
// Softmax of rows of up to 32 columns, a block a row (lesson 06): right, and with 8 columns 120 of 128 threads wait at barriers for the
// eight that have something to do.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::kWarpSize;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 128;

__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], dense
                               float* __restrict__ y,        // [rows, cols], dense
                               int cols) {
  __shared__ float shared[kMaxWarps];
  const int col = threadIdx.x;
  const size_t at = static_cast<size_t>(blockIdx.x) * cols + col;
  const float logit = col < cols ? x[at] : -INFINITY;
  const float row_max = block_reduce<Max>(logit, shared);
  const float mine = logit == -INFINITY ? 0.0f : expf(logit - row_max);
  const float total = block_reduce<Sum>(mine, shared);
  if (col < cols) y[at] = total == 0.0f ? 0.0f : mine / total;
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols > kWarpSize) return cudaErrorInvalidValue;
  softmax_kernel<<<rows, kThreads>>>(x, y, cols);
  return cudaGetLastError();
}
