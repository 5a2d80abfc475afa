// mistake-of: residual-not-written
// The step between two layers, in one kernel and in place: residual += hidden, then hidden = RMSNorm(residual) * weight. One block
// a row.
//
// The idea: two kernels that follow each other on the same row pass it through memory in between. Fused, the sum is formed once,
// stored because the next layer needs it, and kept in registers (lesson 07) until its scale is known. Two tensors in, two out, four
// walks over memory where the separate kernels take five or six; and one launch less.
//
// Contract: the normalised row is that of the *new* residual. residual is compared bit for bit, a sum of two floats is one rounding.
// eps > 0 inside the root, the mean divides by cols, |residual| <= 1e15. hidden and residual do not overlap.
// Still bad: a row longer than the registers of a block is refused (lesson 12 keeps it in shared memory).
//
// Run it: ./workbook run 09
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;               // a multiple of 32, as block_reduce asks
constexpr int kHeld = 16;                   // elements of the row that a thread keeps in registers
constexpr int kMaxCols = kThreads * kHeld;  // longer rows are refused

// region add
/// Adds hidden to residual, stores the new residual and keeps it in `held`: slot i belongs to column threadIdx.x + i * kThreads.
/// Slots beyond the row hold 0. Returns this thread's share of the sum of squares.
__device__ float add_row(float* residual,      // [cols], read and written
                         const float* hidden,  // [cols]
                         int cols, float (&held)[kHeld]) {
  float squares = 0.0f;
#pragma unroll  // every index of held is known when this is compiled, so each slot is a register
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    // >>> blank fused-add: the sum into residual[col] and held[i], its square into squares, nothing beyond the row, about 6 lines
    held[i] = 0.0f;
    if (col < cols) {
      held[i] = residual[col] + hidden[col];
      squares += held[i] * held[i];
    }
    // <<< blank fused-add
    WATCH(held[i]);
    WATCH(squares);
  }
  return squares;
}
// endregion add

// region kernel
/// Block r takes row r of both tensors.
__global__ void __launch_bounds__(kThreads) fused_add_rmsnorm_kernel(float* hidden,                     // [rows, cols], dense
                                                                     float* residual,                   // [rows, cols], dense
                                                                     const float* __restrict__ weight,  // [cols]
                                                                     int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;

  float held[kHeld];
  const float squares = add_row(residual + offset, hidden + offset, cols, held);
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
  WATCH(scale);

#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    if (col < cols) hidden[offset + col] = held[i] * scale * weight[col];
  }
}
// endregion kernel

}  // namespace

// region launch
/// rows >= 1 and 1 <= cols <= 4096; cudaErrorInvalidValue for longer rows. Both tensors are changed.
cudaError_t launch_fused_add_rmsnorm(float* hidden,        // [rows, cols], becomes the normalised row
                                     float* residual,      // [rows, cols], becomes the sum
                                     const float* weight,  // [cols]
                                     int rows, int cols, float eps) {
  if (cols > kMaxCols) return cudaErrorInvalidValue;
  fused_add_rmsnorm_kernel<<<rows, kThreads>>>(hidden, residual, weight, cols, eps);
  return cudaGetLastError();
}
// endregion launch
