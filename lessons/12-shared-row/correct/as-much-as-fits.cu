// verdict: AC
// One kernel for every length: as many columns as a block may hold wait in shared memory, the others are read from global memory again.
// A row that is a little too long is then read a little more than once, not twice. 512 threads a row.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 512;

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

/// `held_cols` columns wait in shared memory.
__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], dense
                               float* __restrict__ y,        // [rows, cols], dense
                               int cols, int held_cols) {
  extern __shared__ float shared[];  // [kMaxWarps + held_cols]
  float* partials = shared;
  float* held = shared + kMaxWarps;
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  float* probabilities = y + static_cast<size_t>(blockIdx.x) * cols;

  float largest = Max::identity();
  float weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float logit = logits[col];
    if (col < held_cols) held[col] = logit;
    if (logit == -INFINITY) continue;
    const float larger = fmaxf(largest, logit);
    weights = weights * expf(largest - larger) + expf(logit - larger);
    largest = larger;
  }
  const float row_max = block_reduce<Max>(largest, partials);
  const float total = block_reduce<Sum>(largest == -INFINITY ? weights : weights * expf(largest - row_max), partials);
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float logit = col < held_cols ? held[col] : logits[col];
    probabilities[col] = total == 0.0f ? 0.0f : weight(logit, row_max) / total;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  int device = 0, most_bytes = 0;
  WARPBOOK_TRY(cudaGetDevice(&device));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const int room = most_bytes / static_cast<int>(sizeof(float)) - kMaxWarps;
  const int held_cols = cols < room ? cols : room;
  const int bytes = (kMaxWarps + held_cols) * static_cast<int>(sizeof(float));
  WARPBOOK_TRY(cudaFuncSetAttribute(softmax_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  softmax_kernel<<<rows, kThreads, bytes>>>(x, y, cols, held_cols);
  return cudaGetLastError();
}
