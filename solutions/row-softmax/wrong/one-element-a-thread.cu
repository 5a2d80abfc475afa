// verdict: RTE
// reason: invalid-launch, cuda-error
// cases: four-thousand, vocabulary, long, far-below, misaligned, last-eight, masked-row, spike, long-masked
// mistake: a block has at most 1024 threads, and no loop covers the rest of the row
// question: how many threads does your launch ask for when the row is long, and who takes the rest?
// One thread a column: the block is as large as the row is long.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], row stride x_stride
                               float* __restrict__ y,        // [rows, cols], row stride y_stride
                               int cols, long long x_stride, long long y_stride) {
  __shared__ float partials[kMaxWarps];
  const int col = threadIdx.x;
  const float logit = col < cols ? x[blockIdx.x * x_stride + col] : -INFINITY;
  const float row_max = block_reduce<Max>(logit, partials);
  const float mine = weight(logit, row_max);
  const float total = block_reduce<Sum>(mine, partials);
  if (col < cols) y[blockIdx.x * y_stride + col] = total == 0.0f ? 0.0f : mine / total;
}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  const int threads = (cols + 31) / 32 * 32;
  softmax_kernel<<<rows, threads>>>(x, y, cols, x_stride, y_stride);
  return cudaGetLastError();
}
