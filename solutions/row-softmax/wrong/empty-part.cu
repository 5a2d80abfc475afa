// verdict: WA
// reason: not-finite
// cases: last-eight, long-masked
// mistake: a part without a finite logit has maximum -inf, and merging two of them makes -inf - (-inf) = NaN
// question: what does your merge do with two parts that have no finite logit?
// Long rows are split over eight blocks; the second kernel merges.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;
constexpr int kChunks = 8;
constexpr int kSplitFrom = 4096;

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

struct Online {
  float max, sum;
};

__device__ Online merge(Online a, Online b) {
  const float max = fmaxf(a.max, b.max);
  return {max, a.sum * expf(a.max - max) + b.sum * expf(b.max - max)};
}

/// Block (row, c) leaves maximum and sum of chunk c at the head of every chunk of y.
__global__ void partials_kernel(const float* __restrict__ x,  // [rows, cols], row stride x_stride
                                float* __restrict__ y,        // [rows, cols], row stride y_stride
                                int cols, long long x_stride, long long y_stride) {
  __shared__ float partials[kMaxWarps];
  const int length = (cols + kChunks - 1) / kChunks;
  const int first = blockIdx.y * length;
  const int last = min(cols, first + length);
  const float* logits = x + blockIdx.x * x_stride;

  float largest = Max::identity();
  for (int col = first + threadIdx.x; col < last; col += kThreads) largest = fmaxf(largest, logits[col]);
  const float max = block_reduce<Max>(largest, partials);
  float weights = Sum::identity();
  for (int col = first + threadIdx.x; col < last; col += kThreads) weights += weight(logits[col], max);
  const float sum = block_reduce<Sum>(weights, partials);
  if (threadIdx.x >= kChunks) return;
  float* head = y + blockIdx.x * y_stride + threadIdx.x * length;
  head[2 * blockIdx.y] = max;
  head[2 * blockIdx.y + 1] = sum;
}

__global__ void divide_kernel(const float* __restrict__ x,  // [rows, cols], row stride x_stride
                              float* __restrict__ y,        // [rows, cols], row stride y_stride
                              int cols, long long x_stride, long long y_stride) {
  const int length = (cols + kChunks - 1) / kChunks;
  const int first = blockIdx.y * length;
  const int last = min(cols, first + length);
  const float* logits = x + blockIdx.x * x_stride;
  float* probabilities = y + blockIdx.x * y_stride;

  Online row = {-INFINITY, 0.0f};
  for (int c = 0; c < kChunks; ++c) row = merge(row, {probabilities[first + 2 * c], probabilities[first + 2 * c + 1]});
  __syncthreads();  // all have read the head
  for (int col = first + threadIdx.x; col < last; col += kThreads) {
    probabilities[col] = row.sum == 0.0f ? 0.0f : weight(logits[col], row.max) / row.sum;
  }
}

__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], row stride x_stride
                               float* __restrict__ y,        // [rows, cols], row stride y_stride
                               int cols, long long x_stride, long long y_stride) {
  __shared__ float partials[kMaxWarps];
  const float* logits = x + blockIdx.x * x_stride;
  float* probabilities = y + blockIdx.x * y_stride;

  float largest = Max::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) largest = fmaxf(largest, logits[col]);
  const float row_max = block_reduce<Max>(largest, partials);
  float weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) weights += weight(logits[col], row_max);
  const float total = block_reduce<Sum>(weights, partials);
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    probabilities[col] = total == 0.0f ? 0.0f : weight(logits[col], row_max) / total;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  if (cols >= kSplitFrom) {
    const dim3 grid(rows, kChunks);
    partials_kernel<<<grid, kThreads>>>(x, y, cols, x_stride, y_stride);
    divide_kernel<<<grid, kThreads>>>(x, y, cols, x_stride, y_stride);
    return cudaGetLastError();
  }
  softmax_kernel<<<rows, kThreads>>>(x, y, cols, x_stride, y_stride);
  return cudaGetLastError();
}
