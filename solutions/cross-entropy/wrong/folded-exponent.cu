// verdict: WA
// reason: value, not-finite
// cases: twenty-thousand, largest-logits
// mistake: x * log2(e) - m * log2(e) is fused: the product is exact on one side and rounded on the other, and near 1e30 the difference is astronomic
// question: x and m are equal and huge: is x * c - m * c zero when only one of the products is rounded?
// Two walks a row; exponentials in base two, with the shift folded into a multiply-add.
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

constexpr float kLog2E = 1.44269504f;

/// exp(x - m), one multiply-add and one exponential.
__device__ float weight(float x, float m) { return exp2f(fmaf(x, kLog2E, -m * kLog2E)); }

__device__ float moved(Online part, float larger) { return part.max == -INFINITY ? part.sum : part.sum * weight(part.max, larger); }

__device__ Online with(Online seen, float logit) {
  if (logit == -INFINITY) return seen;
  const float larger = fmaxf(seen.max, logit);
  return {larger, moved(seen, larger) + weight(logit, larger)};
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
  const float target_logit = threadIdx.x == 0 ? x[target] : 0.0f;

  Online mine = {Max::identity(), Sum::identity()};
  for (int col = threadIdx.x; col < cols; col += kThreads) mine = with(mine, x[col]);
  const float row_max = block_reduce<Max>(mine.max, partials);
  const float total = block_reduce<Sum>(moved(mine, row_max), partials);
  if (threadIdx.x == 0) loss[row] = (row_max - target_logit) + logf(total);
  if (g == nullptr) return;

  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float probability = weight(x[col], row_max) / total;
    g[col] = scale * (col == target ? probability - 1.0f : probability);
  }
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
