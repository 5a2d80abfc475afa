// verdict: AC
// Rows from 4096 columns on are split over eight blocks, which leave maximum and sum of their part in memory that the stream lends; every
// thread of the second kernel merges the eight by itself, in the same order. Shorter rows take two walks by a block.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;
constexpr int kIgnored = -100;
constexpr int kChunks = 8;
constexpr int kSplitFrom = 4096;

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

/// Two parts of a row together.
__device__ Online merged(Online a, Online b) {
  const float max = fmaxf(a.max, b.max);
  return {max, moved(a, max) + moved(b, max)};
}

/// Block (row, c) leaves maximum and sum of chunk c.
__global__ void parts_kernel(const float* logits,  // [rows, cols], row stride logits_stride
                             const int* targets,   // [rows]
                             Online* parts,        // [rows, kChunks], dense
                             int cols, long long logits_stride) {
  __shared__ float partials[kMaxWarps];
  const long long row = blockIdx.x;
  if (targets[row] < 0 || targets[row] >= cols) return;
  const int length = (cols - 1) / kChunks + 1;
  const int first = blockIdx.y * length;
  const int last = min(cols, first + length);
  const float* x = logits + row * logits_stride;
  Online mine = {Max::identity(), Sum::identity()};
  for (int col = first + threadIdx.x; col < last; col += kThreads) mine = with(mine, x[col]);
  const float max = block_reduce<Max>(mine.max, partials);
  const float sum = block_reduce<Sum>(moved(mine, max), partials);
  if (threadIdx.x == 0) parts[row * kChunks + blockIdx.y] = {max, sum};
}

/// Block (row, c) merges the parts of its row and writes the gradient of chunk c.
__global__ void merge_kernel(const float* logits,  // [rows, cols], row stride logits_stride
                             const int* targets,   // [rows]
                             float* loss,          // [rows]
                             float* gradient,      // [rows, cols], row stride gradient_stride, or null
                             const Online* parts,  // [rows, kChunks], dense
                             int cols, float scale, long long logits_stride, long long gradient_stride) {
  const long long row = blockIdx.x;
  const float* x = logits + row * logits_stride;
  float* g = gradient == nullptr ? nullptr : gradient + row * gradient_stride;
  const int length = (cols - 1) / kChunks + 1;
  const int first = blockIdx.y * length;
  const int last = min(cols, first + length);
  const int target = targets[row];
  if (target < 0 || target >= cols) {
    const float everywhere = target == kIgnored ? 0.0f : NAN;
    if (threadIdx.x == 0 && blockIdx.y == 0) loss[row] = everywhere;
    for (int col = first + threadIdx.x; g != nullptr && col < last; col += kThreads) g[col] = everywhere;
    return;
  }
  Online all = parts[row * kChunks];
  for (int c = 1; c < kChunks; ++c) all = merged(all, parts[row * kChunks + c]);
  if (threadIdx.x == 0 && target >= first && target < last) loss[row] = (all.max - x[target]) + logf(all.sum);
  if (g == nullptr) return;
  __syncthreads();
  for (int col = first + threadIdx.x; col < last; col += kThreads) {
    const float probability = expf(x[col] - all.max) / all.sum;
    g[col] = scale * (col == target ? probability - 1.0f : probability);
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
  if (cols >= kSplitFrom) {
    Online* parts = nullptr;  // [rows, kChunks]
    WARPBOOK_TRY(cudaMallocAsync(&parts, static_cast<size_t>(rows) * kChunks * sizeof(Online), 0));
    const dim3 grid(rows, kChunks);
    parts_kernel<<<grid, kThreads>>>(logits, targets, parts, cols, logits_stride);
    merge_kernel<<<grid, kThreads>>>(logits, targets, loss, gradient, parts, cols, scale, logits_stride, gradient_stride);
    const cudaError_t launched = cudaGetLastError();
    const cudaError_t freed = cudaFreeAsync(parts, 0);
    return launched != cudaSuccess ? launched : freed;
  }
  cross_entropy_kernel<<<rows, kThreads>>>(logits, targets, loss, gradient, cols, scale, logits_stride, gradient_stride);
  return cudaGetLastError();
}
