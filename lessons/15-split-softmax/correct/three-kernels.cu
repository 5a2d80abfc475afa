// verdict: AC
// Partials, one merge a row, output: the pairs of a row are merged once, by a small block of their own, at the price of a third launch.
// 16 chunks a row, however long it is; 256 threads a block.
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
constexpr int kChunks = 16;

/// The columns [first, end) of a chunk; none where the row has fewer columns than chunks.
struct Chunk {
  int first, end;
};

__device__ Chunk chunk_of(int index, int cols) {
  const long long length = cols;
  return {static_cast<int>(length * index / kChunks), static_cast<int>(length * (index + 1) / kChunks)};
}

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

/// (maximum, sum) of one chunk, in x and y.
__global__ void partials_kernel(const float* __restrict__ x,    // [rows, cols], dense
                                float2* __restrict__ partials,  // [rows, kChunks]
                                int cols) {
  __shared__ float shared[kMaxWarps];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  const Chunk chunk = chunk_of(blockIdx.y, cols);
  float max = Max::identity();
  float sum = Sum::identity();
  for (int col = chunk.first + threadIdx.x; col < chunk.end; col += kThreads) {
    const float logit = logits[col];
    if (logit > max) {
      sum *= max == -INFINITY ? 1.0f : expf(max - logit);
      max = logit;
    }
    if (logit != -INFINITY) sum += expf(logit - max);
  }
  const float chunk_max = block_reduce<Max>(max, shared);
  const float chunk_sum = block_reduce<Sum>(max == -INFINITY ? sum : sum * expf(max - chunk_max), shared);
  if (threadIdx.x == 0) partials[blockIdx.x * kChunks + blockIdx.y] = {chunk_max, chunk_sum};
}

/// One thread a row: 16 pairs are soon merged.
__global__ void merge_kernel(const float2* __restrict__ partials,  // [rows, kChunks]
                             float2* __restrict__ merged,          // [rows]
                             int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float max = Max::identity();
  for (int chunk = 0; chunk < kChunks; ++chunk) max = fmaxf(max, partials[row * kChunks + chunk].x);
  float sum = Sum::identity();
  for (int chunk = 0; chunk < kChunks; ++chunk) {
    const float2 pair = partials[row * kChunks + chunk];
    sum += pair.x == -INFINITY ? pair.y : pair.y * expf(pair.x - max);
  }
  merged[row] = {max, sum};
}

__global__ void normalise_kernel(const float* __restrict__ x,        // [rows, cols], dense
                                 const float2* __restrict__ merged,  // [rows]
                                 float* __restrict__ y,              // [rows, cols], dense
                                 int cols) {
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;
  const Chunk chunk = chunk_of(blockIdx.y, cols);
  const float2 row = merged[blockIdx.x];
  const float inverse = row.y == 0.0f ? 0.0f : 1.0f / row.y;
  for (int col = chunk.first + threadIdx.x; col < chunk.end; col += kThreads) {
    y[offset + col] = weight(x[offset + col], row.x) * inverse;
  }
}

cudaError_t launch_all(const float* x, float* y, float2* partials, float2* merged, int rows, int cols) {
  const dim3 grid(rows, kChunks);
  partials_kernel<<<grid, kThreads>>>(x, partials, cols);
  WARPBOOK_TRY(cudaGetLastError());
  merge_kernel<<<(rows - 1) / kThreads + 1, kThreads>>>(partials, merged, rows);
  WARPBOOK_TRY(cudaGetLastError());
  normalise_kernel<<<grid, kThreads>>>(x, merged, y, cols);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  float2* scratch = nullptr;  // [rows, kChunks] partials, then [rows] merged
  WARPBOOK_TRY(cudaMallocAsync(&scratch, sizeof(float2) * rows * (kChunks + 1), 0));
  const cudaError_t status = launch_all(x, y, scratch, scratch + static_cast<size_t>(rows) * kChunks, rows, cols);
  const cudaError_t freed = cudaFreeAsync(scratch, 0);
  return status != cudaSuccess ? status : freed;
}
