// verdict: RTE, WA
// reason: out-of-bounds, uninitialised, value, unwritten, out-of-zone-write
// cases: long-masked, strided, odd-stride, rows-far-apart, in-place
// mistake: rows are found at row * cols: what lies between the rows is read as logits, and the gradient is written there
// question: where does row 1 of a matrix begin whose rows lie farther apart than they are long?
// Two walks a row; neither stride is used.
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
  const float* x = logits + row * cols;
  float* g = gradient == nullptr ? nullptr : gradient + row * cols;
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
    const float probability = expf(x[col] - row_max) / total;
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
