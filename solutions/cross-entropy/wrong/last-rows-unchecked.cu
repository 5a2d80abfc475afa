// verdict: RTE
// reason: out-of-bounds
// cases: one-column, many-short-rows, largest-logits, no-such-column, masked-target, strided, rows-far-apart, short-in-place
// mistake: four rows a block, and the last block has fewer: its idle warps compute rows that do not exist
// question: how many warps does your launch start for 1001 rows of one warp each, and what do the last three do?
// A warp a row up to 128 columns, two walks by a block beyond.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::kWarpSize;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kThreads = 256;
constexpr int kIgnored = -100;
constexpr int kRowsPerBlock = 4;
constexpr int kHeld = 4;

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

/// Short rows: a warp each, the row in its registers.
__global__ void short_kernel(const float* logits,  // [rows, cols], row stride logits_stride
                             const int* targets,   // [rows]
                             float* loss,          // [rows]
                             float* gradient,      // [rows, cols], row stride gradient_stride, or null
                             int rows, int cols, float scale, long long logits_stride, long long gradient_stride) {
  const int lane = threadIdx.x % kWarpSize;
  const long long row = static_cast<long long>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kWarpSize;
  const float* x = logits + row * logits_stride;
  float* g = gradient == nullptr ? nullptr : gradient + row * gradient_stride;
  const int target = targets[row];
  if (target < 0 || target >= cols) {
    const float everywhere = target == kIgnored ? 0.0f : NAN;
    if (lane == 0) loss[row] = everywhere;
    for (int col = lane; g != nullptr && col < cols; col += kWarpSize) g[col] = everywhere;
    return;
  }
  float held[kHeld];
  float largest = Max::identity();
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = lane + i * kWarpSize;
    held[i] = col < cols ? x[col] : -INFINITY;
    largest = fmaxf(largest, held[i]);
  }
  const float target_logit = lane == 0 ? x[target] : 0.0f;
  const float row_max = warp_reduce<Max>(largest);
  float weights = Sum::identity();
#pragma unroll
  for (int i = 0; i < kHeld; ++i) weights += expf(held[i] - row_max);
  const float total = warp_reduce<Sum>(weights);
  if (lane == 0) loss[row] = (row_max - target_logit) + logf(total);
  __syncwarp();
  if (g == nullptr) return;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = lane + i * kWarpSize;
    if (col < cols) g[col] = scale * (expf(held[i] - row_max) / total - (col == target ? 1.0f : 0.0f));
  }
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
  if (cols <= kHeld * kWarpSize) {
    const int blocks = (rows - 1) / kRowsPerBlock + 1;
    short_kernel<<<blocks, kRowsPerBlock * kWarpSize>>>(logits, targets, loss, gradient, rows, cols, scale, logits_stride, gradient_stride);
    return cudaGetLastError();
  }
  cross_entropy_kernel<<<rows, kThreads>>>(logits, targets, loss, gradient, cols, scale, logits_stride, gradient_stride);
  return cudaGetLastError();
}
