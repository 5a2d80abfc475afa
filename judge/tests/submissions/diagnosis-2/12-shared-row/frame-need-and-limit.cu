// mistake-of: attribute-missing
// Softmax of every row with the row in shared memory: read once, however often the kernel looks at it.
//
// The idea: shared memory is a cache whose contents are yours. A block copies its row there while it looks for the maximum; the sum and the
// output then come from the copy. x is read once, where two walks (lesson 11) read it twice. How much a block may have is decided at the
// launch, and that is the work of this lesson: up to 48 KB without asking, up to the device's limit after asking, and beyond it the two
// walks. A launch that asks for too much does nothing and says nothing, unless somebody reads its error. Still bad: a block that holds much
// leaves no room for others, so fewer warps hide each other's waiting.
//
// The contract is that of lesson 06. -inf marks a masked column: its output is exactly 0. A row in which every column is masked gives
// zeros. A row with NaN or +inf gives NaN. The launch function returns the error of any call or launch that failed.
//
// Run it: ./workbook run 12
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;                               // a multiple of 32, as block_reduce asks
constexpr size_t kStaticBytes = kMaxWarps * sizeof(float);  // of shared memory that both kernels declare: partials

/// What one logit weighs before the division, as in lesson 06.
__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

// region shared_row
/// Block r turns row r into probabilities; the launch gives it cols floats of dynamic shared memory.
__global__ void softmax_in_shared(const float* __restrict__ x,  // [rows, cols], dense
                                  float* __restrict__ y,        // [rows, cols], dense
                                  int cols) {
  extern __shared__ float held[];  // [cols]
  __shared__ float partials[kMaxWarps];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  float* probabilities = y + static_cast<size_t>(blockIdx.x) * cols;

  // A thread reads back only the columns that it wrote itself, so the row needs no barrier of its own.
  float largest = Max::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    held[col] = logits[col];
    largest = fmaxf(largest, held[col]);
  }
  WATCH(largest);
  const float row_max = block_reduce<Max>(largest, partials);
  WATCH(row_max);

  float weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    held[col] = weight(held[col], row_max);  // one exponential an element: the weight takes the logit's place
    weights += held[col];
  }
  WATCH(weights);
  const float total = block_reduce<Sum>(weights, partials);
  WATCH(total);

  for (int col = threadIdx.x; col < cols; col += kThreads) probabilities[col] = total == 0.0f ? 0.0f : held[col] / total;
}
// endregion shared_row

// region two_walks
/// The same for a row of any length: maximum and sum from one walk, the output from a second (lesson 11).
__global__ void softmax_in_two_walks(const float* __restrict__ x,  // [rows, cols], dense
                                     float* __restrict__ y,        // [rows, cols], dense
                                     int cols) {
  __shared__ float partials[kMaxWarps];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  float* probabilities = y + static_cast<size_t>(blockIdx.x) * cols;

  float largest = Max::identity();
  float weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    const float logit = logits[col];
    if (logit == -INFINITY) continue;
    const float larger = fmaxf(largest, logit);
    weights = weights * expf(largest - larger) + expf(logit - larger);
    largest = larger;
  }
  const float row_max = block_reduce<Max>(largest, partials);
  const float moved = largest == -INFINITY ? weights : weights * expf(largest - row_max);
  const float total = block_reduce<Sum>(moved, partials);

  for (int col = threadIdx.x; col < cols; col += kThreads) {
    probabilities[col] = total == 0.0f ? 0.0f : weight(logits[col], row_max) / total;
  }
}
// endregion two_walks

}  // namespace

// region launch
/// rows, cols >= 1. Returns the error of whatever failed.
cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  // >>> blank launch: find out what a block may have, launch the kernel that can run, return what went wrong, about 8 lines
  int dev = 0;
  int limit = 0;
  WARPBOOK_TRY(cudaGetDevice(&dev));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, dev));
  const size_t need = cols * sizeof(float);
  if (need + kStaticBytes <= static_cast<size_t>(limit)) {
    softmax_in_shared<<<rows, kThreads, need>>>(x, y, cols);
  } else {
    softmax_in_two_walks<<<rows, kThreads>>>(x, y, cols);
  }
  return cudaGetLastError();
  // <<< blank launch
}
// endregion launch
