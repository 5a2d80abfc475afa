// mistake-of: padding-counts
// LayerNorm in two passes over registers: y = (x - mean) / sqrt(variance + eps) * gamma + beta, one block a row.
//
// The idea: against lesson 05 the mean is subtracted *before* squaring, so nothing large cancels. That needs the row twice
// more after the mean is known. A block of 256 threads with 8 elements each holds 2048 elements in its registers; the row is
// read from memory once, and the second walk and the last one cost no bytes. Population variance (divide by cols), eps > 0
// inside the root, |x| <= 1e15. Still bad: a row longer than the registers needs another kernel (lesson 12), and every slot
// is walked even if the row is short (lesson 14).
//
// Run it: ./workbook run 07
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;               // a multiple of 32, as block_reduce asks
constexpr int kHeld = 8;                    // elements of the row that a thread keeps in registers
constexpr int kMaxCols = kThreads * kHeld;  // longer rows are refused

// region load
/// The slots of this thread: slot i belongs to column threadIdx.x + i * kThreads. Slots beyond the row are padding and hold 0,
/// which changes no sum of x. Returns the sum of the slots. The loops are unrolled, so that each slot is a register: an array
/// that is indexed by a number known only at run time would live in local memory.
__device__ float load_slots(const float* __restrict__ row,  // [cols]
                            int cols,
                            float (&held)[kHeld]) {
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    held[i] = col < cols ? row[col] : 0.0f;
    sum += held[i];
    WATCH(held[i]);
  }
  return sum;
}
// endregion load

// region kernel
/// Block r normalises row r.
__global__ void __launch_bounds__(kThreads) layernorm_kernel(const float* __restrict__ x,      // [rows, cols], dense
                                                             const float* __restrict__ gamma,  // [cols]
                                                             const float* __restrict__ beta,   // [cols]
                                                             float* __restrict__ y,            // [rows, cols], dense
                                                             int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;

  float held[kHeld];
  const float sum = load_slots(x + offset, cols, held);
  const float mean = block_reduce<Sum>(sum, partials) / cols;
  WATCH(mean);

  // >>> blank variance: the mean of the squared distances from the mean, in every thread: float variance, about 7 lines
  float dev = 0.0f;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const float d = held[i] - mean;
    dev += d * d;
  }
  const float variance = block_reduce<Sum>(dev, partials) / cols;
  // <<< blank variance
  const float scale = rsqrtf(variance + eps);
  WATCH(variance);
  WATCH(scale);

#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    if (col < cols) y[offset + col] = (held[i] - mean) * scale * gamma[col] + beta[col];
  }
}
// endregion kernel

}  // namespace

/// rows >= 1 and 1 <= cols <= 2048; cudaErrorInvalidValue for longer rows.
cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  if (cols > kMaxCols) return cudaErrorInvalidValue;
  layernorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
