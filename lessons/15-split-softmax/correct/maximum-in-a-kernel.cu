// verdict: AC
// medal: lost
// mistake: the maximum of the row is found by a kernel of its own: x is read three times where two will do
// One kernel for the maxima of all chunks, one for their sums, one for the output. No sum has to be moved, because the maximum of the row is
// known before the first exponential; the price is a third read.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 128;
constexpr int kChunkCols = 1024;

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

/// `Op` over the numbers that the blocks of a row have left.
template <class Op>
__device__ float collect(const float* partials, int chunks, float* shared) {  // partials: [chunks], shared: [kMaxWarps]
  float mine = Op::identity();
  for (int chunk = threadIdx.x; chunk < chunks; chunk += kThreads) mine = Op::combine(mine, partials[chunk]);
  return block_reduce<Op>(mine, shared);
}

__global__ void maxima_kernel(const float* __restrict__ x,  // [rows, cols], dense
                              float* __restrict__ maxima,   // [rows, chunks]
                              int cols) {
  __shared__ float shared[kMaxWarps];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  const int first = blockIdx.y * kChunkCols;
  float largest = Max::identity();
  for (int col = first + threadIdx.x; col < min(cols, first + kChunkCols); col += kThreads) largest = fmaxf(largest, logits[col]);
  largest = block_reduce<Max>(largest, shared);
  if (threadIdx.x == 0) maxima[static_cast<size_t>(blockIdx.x) * gridDim.y + blockIdx.y] = largest;
}

__global__ void sums_kernel(const float* __restrict__ x,       // [rows, cols], dense
                            const float* __restrict__ maxima,  // [rows, chunks]
                            float* __restrict__ sums,          // [rows, chunks]
                            int cols) {
  __shared__ float shared[kMaxWarps];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  const size_t row = static_cast<size_t>(blockIdx.x) * gridDim.y;
  const float row_max = collect<Max>(maxima + row, gridDim.y, shared);
  const int first = blockIdx.y * kChunkCols;
  float weights = Sum::identity();
  for (int col = first + threadIdx.x; col < min(cols, first + kChunkCols); col += kThreads) weights += weight(logits[col], row_max);
  weights = block_reduce<Sum>(weights, shared);
  if (threadIdx.x == 0) sums[row + blockIdx.y] = weights;
}

__global__ void normalise_kernel(const float* __restrict__ x,       // [rows, cols], dense
                                 const float* __restrict__ maxima,  // [rows, chunks]
                                 const float* __restrict__ sums,    // [rows, chunks]
                                 float* __restrict__ y,             // [rows, cols], dense
                                 int cols) {
  __shared__ float shared[kMaxWarps];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;
  const size_t row = static_cast<size_t>(blockIdx.x) * gridDim.y;
  const float row_max = collect<Max>(maxima + row, gridDim.y, shared);
  const float total = collect<Sum>(sums + row, gridDim.y, shared);
  const int first = blockIdx.y * kChunkCols;
  for (int col = first + threadIdx.x; col < min(cols, first + kChunkCols); col += kThreads) {
    y[offset + col] = total == 0.0f ? 0.0f : weight(x[offset + col], row_max) / total;
  }
}

cudaError_t launch_all(const float* x, float* y, float* maxima, float* sums, dim3 grid, int cols) {
  maxima_kernel<<<grid, kThreads>>>(x, maxima, cols);
  WARPBOOK_TRY(cudaGetLastError());
  sums_kernel<<<grid, kThreads>>>(x, maxima, sums, cols);
  WARPBOOK_TRY(cudaGetLastError());
  normalise_kernel<<<grid, kThreads>>>(x, maxima, sums, y, cols);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  const int chunks = (cols - 1) / kChunkCols + 1;
  const size_t pairs = static_cast<size_t>(rows) * chunks;
  float* scratch = nullptr;  // maxima, then sums
  WARPBOOK_TRY(cudaMallocAsync(&scratch, 2 * pairs * sizeof(float), 0));
  const cudaError_t status = launch_all(x, y, scratch, scratch + pairs, dim3(rows, chunks), cols);
  const cudaError_t freed = cudaFreeAsync(scratch, 0);
  return status != cudaSuccess ? status : freed;
}
