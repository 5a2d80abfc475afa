// verdict: RTE
// reason: misaligned, cuda-error
// cases: four-thousand, vocabulary, far-below, misaligned, odd-stride, masked-lanes, not-a-number, long-masked
// mistake: a float4 load needs 16-byte alignment of base and row stride, and nobody checked
// question: at which address does row 1 begin, and is it a multiple of 16?
// Four columns a load, taking for granted that every row starts at a multiple of 16 bytes.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], row stride x_stride
                               float* __restrict__ y,        // [rows, cols], row stride y_stride
                               int cols, long long x_stride, long long y_stride) {
  __shared__ float partials[kMaxWarps];
  const float* logits = x + blockIdx.x * x_stride;
  float* probabilities = y + blockIdx.x * y_stride;
  const float4* quads = reinterpret_cast<const float4*>(logits);
  const int whole = cols / 4;

  float largest = Max::identity();
  for (int i = threadIdx.x; i < whole; i += kThreads) {
    const float4 q = quads[i];
    largest = fmaxf(largest, fmaxf(fmaxf(q.x, q.y), fmaxf(q.z, q.w)));
  }
  for (int col = whole * 4 + threadIdx.x; col < cols; col += kThreads) largest = fmaxf(largest, logits[col]);
  const float row_max = block_reduce<Max>(largest, partials);
  float weights = Sum::identity();
  for (int i = threadIdx.x; i < whole; i += kThreads) {
    const float4 q = quads[i];
    weights += weight(q.x, row_max) + weight(q.y, row_max) + weight(q.z, row_max) + weight(q.w, row_max);
  }
  for (int col = whole * 4 + threadIdx.x; col < cols; col += kThreads) weights += weight(logits[col], row_max);
  const float total = block_reduce<Sum>(weights, partials);
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    probabilities[col] = total == 0.0f ? 0.0f : weight(logits[col], row_max) / total;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  softmax_kernel<<<rows, kThreads>>>(x, y, cols, x_stride, y_stride);
  return cudaGetLastError();
}
