// verdict: RTE
// reason: invalid-launch, cuda-error
// cases: subwords, vocabulary, long, evaluation, long-ignored, long-masked, long-in-place, no-memory, no-permission
// mistake: beyond 48 KB of shared memory a launch needs permission, and beyond what the device has, another path
// question: how many bytes of shared memory does the launch ask for, and who allowed that?
// The row waits in dynamic shared memory, however long it is.
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

__global__ void cross_entropy_kernel(const float* logits,  // [rows, cols], row stride logits_stride
                                     const int* targets,   // [rows]
                                     float* loss,          // [rows]
                                     float* gradient,      // [rows, cols], row stride gradient_stride, or null
                                     int cols, float scale, long long logits_stride, long long gradient_stride) {
  extern __shared__ float shared[];
  float* partials = shared;            // [kMaxWarps]
  float* staged = shared + kMaxWarps;  // [cols]
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

  float largest = Max::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    staged[col] = x[col];
    largest = fmaxf(largest, staged[col]);
  }
  const float row_max = block_reduce<Max>(largest, partials);
  float weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    staged[col] = expf(staged[col] - row_max);
    weights += staged[col];
  }
  const float total = block_reduce<Sum>(weights, partials);
  if (threadIdx.x == 0) loss[row] = (row_max - target_logit) + logf(total);
  if (g == nullptr) return;

  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float probability = staged[col] / total;
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
  cross_entropy_kernel<<<rows, kThreads, (kMaxWarps + cols) * sizeof(float)>>>(logits, targets, loss, gradient, cols, scale, logits_stride,
                                                                               gradient_stride);
  return cudaGetLastError();
}
