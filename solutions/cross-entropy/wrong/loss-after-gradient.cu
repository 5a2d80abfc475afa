// verdict: WA
// reason: value
// cases: in-place, short-in-place, long-in-place
// mistake: the logit at the target is read after the gradient has been written, and in place it is a gradient by then
// question: when the gradient takes the place of the logits, which of your reads come after the first write?
// Two walks a row, and the loss at the end, when everything else is done.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;
constexpr int kIgnored = -100;

/// Maximum and sum of exp(logit - max) of the logits seen so far; of none, -inf and 0.
struct Online {
  float max, sum;
};

__device__ float moved(Online part, float larger) { return part.max == -INFINITY ? part.sum : part.sum * expf(part.max - larger); }

__device__ Online with(Online seen, float logit) {
  if (logit == -INFINITY) return seen;
  const float larger = fmaxf(seen.max, logit);
  return {larger, moved(seen, larger) + expf(logit - larger)};
}

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
    for (int col = threadIdx.x; g != nullptr && col < cols; col += kThreads) g[col] = everywhere;
    return;
  }
  Online mine = {Max::identity(), Sum::identity()};
  for (int col = threadIdx.x; col < cols; col += kThreads) mine = with(mine, x[col]);
  const float row_max = block_reduce<Max>(mine.max, partials);
  const float total = block_reduce<Sum>(moved(mine, row_max), partials);

  for (int col = threadIdx.x; g != nullptr && col < cols; col += kThreads) {
    const float probability = expf(x[col] - row_max) / total;
    g[col] = scale * (col == target ? probability - 1.0f : probability);
  }
  __syncthreads();
  if (threadIdx.x == 0) loss[row] = (row_max - x[target]) + logf(total);
}

}  // namespace

cudaError_t launch_cross_entropy(const float* logits,  // [rows, cols], row stride logits_stride
                                 const int* targets,   // [rows]
                                 float* loss,          // [rows]
                                 float* gradient,      // [rows, cols], row stride gradient_stride, or null; may be logits
                                 int rows, int cols, float scale, long long logits_stride, long long gradient_stride) {
  if (rows == 0) return cudaSuccess;
  cross_entropy_kernel<<<rows, kThreads>>>(logits, targets, loss, gradient, cols, scale, logits_stride, gradient_stride);
  return cudaGetLastError();
}
