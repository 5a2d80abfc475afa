// verdict: RTE, WA
// reason: invalid-launch, cuda-error, unwritten
// cases: four-thousand, subwords, vocabulary, long, evaluation, ignored-rows, long-ignored, masked-lanes, long-masked, misaligned, in-place, long-in-place, no-memory, no-permission
// mistake: a block has at most 1024 threads, and no loop covers the rest of the row
// question: how many threads may a block have, and how many columns has your longest row?
// One element a thread: the row stands in the registers of a block.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kIgnored = -100;

__global__ void cross_entropy_kernel(const float* logits,  // [rows, cols], row stride logits_stride
                                     const int* targets,   // [rows]
                                     float* loss,          // [rows]
                                     float* gradient,      // [rows, cols], row stride gradient_stride, or null
                                     int cols, float scale, long long logits_stride, long long gradient_stride) {
  __shared__ float partials[kMaxWarps];
  const long long row = blockIdx.x;
  const float* x = logits + row * logits_stride;
  float* g = gradient == nullptr ? nullptr : gradient + row * gradient_stride;
  const int target = targets[row];
  if (target < 0 || target >= cols) {
    const float everywhere = target == kIgnored ? 0.0f : NAN;
    if (threadIdx.x == 0) loss[row] = everywhere;
    if (g != nullptr && threadIdx.x < cols) g[threadIdx.x] = everywhere;
    return;
  }

  const int col = threadIdx.x;
  const float mine = col < cols ? x[col] : -INFINITY;
  const float row_max = block_reduce<Max>(mine, partials);
  const float weight = expf(mine - row_max);
  const float total = block_reduce<Sum>(weight, partials);
  if (col == target) loss[row] = (row_max - mine) + logf(total);
  if (g != nullptr && col < cols) g[col] = scale * (weight / total - (col == target ? 1.0f : 0.0f));
}

}  // namespace

cudaError_t launch_cross_entropy(const float* logits,  // [rows, cols], row stride logits_stride
                                 const int* targets,   // [rows]
                                 float* loss,          // [rows]
                                 float* gradient,      // [rows, cols], row stride gradient_stride, or null; may be logits
                                 int rows, int cols, float scale, long long logits_stride, long long gradient_stride) {
  if (rows == 0) return cudaSuccess;
  const int threads = (cols + 31) / 32 * 32;
  cross_entropy_kernel<<<rows, threads>>>(logits, targets, loss, gradient, cols, scale, logits_stride, gradient_stride);
  return cudaGetLastError();
}
