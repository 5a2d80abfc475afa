// Softmax of rows of any length and any stride, float in and out: y = exp(x - m) / sum(exp(x - m)), m the largest of the row.
//
// The idea: a row should be read once, and it can be where it fits on chip. What "on chip" means depends on its length:
//
//   cols                     path                        where the row waits              reads of x
//   up to 1024               a warp a row                registers, 1 to 32 a lane        1
//   up to what a block holds a block a row               registers, then shared memory    1
//   beyond                   several blocks a row        nowhere: online maximum and sum  2
//
// A block holds 16,384 columns in registers and, with the 163 KB of shared memory of compute capability 8.0, 41,696 more; with
// the 227 KB of 9.0, 58,080. Where rows are many, one block a row is "several" enough: the last path then becomes two launches
// of one block a row.
//
// The last path needs the blocks of a row to tell each other their (maximum, sum). They do so through y, which is about to be
// overwritten anyway: no scratch memory to allocate, to keep or to share between streams.
//
// Contract: rows, cols >= 0; strides in elements, at least cols; x and y do not overlap; no alignment is assumed. -inf masks a
// column: its y is 0, and a row masked throughout is 0. A NaN or +inf makes the row NaN.
//
// Still bad: no vector loads, and in the middle path registers hold 16 columns a thread whether or not more would fit.
//
// Run it: ./workbook run row-softmax --solution
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::kWarpSize;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

/// Rows of a matrix that lie `stride` elements apart.
struct Rows {
  const float* x;  // [rows, cols], row stride x_stride
  float* y;        // [rows, cols], row stride y_stride
  int rows, cols;
  long long x_stride, y_stride;  // 64 bits: row * stride passes 2^31 long before memory ends

  __device__ const float* logits(long long row) const { return x + row * x_stride; }
  __device__ float* probabilities(long long row) const { return y + row * y_stride; }
};

// region weight
/// What a logit weighs before the division. A masked one weighs 0, also in a row masked throughout, where row_max is -inf.
__device__ __forceinline__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

/// 1 / total, or 0 for a row masked throughout. A NaN total stays NaN.
__device__ __forceinline__ float inverse_of(float total) { return total == 0.0f ? 0.0f : 1.0f / total; }
// endregion weight

// ---- up to 1024 columns: a warp a row ------------------------------------------------------------------------------------

constexpr int kWarpRowCols = 1024;
constexpr int kRowsPerBlock = 4;

// region warp_row
/// The row waits in registers, column lane + 32 i in held[i]; gaps hold -inf and weigh nothing. No shared memory, no barrier.
template <int kHeld>
__global__ void __launch_bounds__(kRowsPerBlock* kWarpSize) softmax_by_warp(Rows m) {
  const int lane = threadIdx.x % kWarpSize;
  const long long row = static_cast<long long>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kWarpSize;
  if (row >= m.rows) return;  // a whole warp leaves, and no barrier waits for it

  const float* logits = m.logits(row);
  float held[kHeld];
  float largest = Max::identity();
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = lane + i * kWarpSize;
    held[i] = col < m.cols ? logits[col] : -INFINITY;
    largest = fmaxf(largest, held[i]);
  }
  const float row_max = warp_reduce<Max>(largest);
  WATCH(largest);
  WATCH(row_max);

  float weights = Sum::identity();
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    held[i] = weight(held[i], row_max);
    weights += held[i];
  }
  const float inverse = inverse_of(warp_reduce<Sum>(weights));
  WATCH(weights);
  WATCH(inverse);

  float* probabilities = m.probabilities(row);
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = lane + i * kWarpSize;
    if (col < m.cols) probabilities[col] = held[i] * inverse;
  }
}
// endregion warp_row

template <int kHeld>
cudaError_t launch_by_warp(const Rows& m) {
  const int blocks = (m.rows - 1) / kRowsPerBlock + 1;
  softmax_by_warp<kHeld><<<blocks, kRowsPerBlock * kWarpSize>>>(m);
  return cudaGetLastError();
}

/// The fewest registers a lane that hold the row.
cudaError_t launch_short(const Rows& m) {
  if (m.cols <= 1 * kWarpSize) return launch_by_warp<1>(m);
  if (m.cols <= 2 * kWarpSize) return launch_by_warp<2>(m);
  if (m.cols <= 4 * kWarpSize) return launch_by_warp<4>(m);
  if (m.cols <= 8 * kWarpSize) return launch_by_warp<8>(m);
  if (m.cols <= 16 * kWarpSize) return launch_by_warp<16>(m);
  return launch_by_warp<32>(m);
}

// ---- up to what a multiprocessor holds: a block a row --------------------------------------------------------------------

constexpr int kHeldPerThread = 16;
constexpr int kFewestThreads = 128;
constexpr int kMostThreads = 1024;

// region block_row
/// The first blockDim.x * kHeldPerThread columns wait in registers, the rest in shared memory. Every thread reads back only
/// what it wrote itself, so the row itself needs no barrier.
__global__ void __launch_bounds__(kMostThreads) softmax_by_block(Rows m) {
  extern __shared__ float shared[];  // [kMaxWarps + columns that registers do not hold]
  float* partials = shared;
  float* staged = shared + kMaxWarps;
  const int threads = blockDim.x;
  const int thread = threadIdx.x;
  const int in_registers = threads * kHeldPerThread;

  const float* logits = m.logits(blockIdx.x);
  float held[kHeldPerThread];
  float largest = Max::identity();
#pragma unroll
  for (int i = 0; i < kHeldPerThread; ++i) {
    const int col = thread + i * threads;
    held[i] = col < m.cols ? logits[col] : -INFINITY;
    largest = fmaxf(largest, held[i]);
  }
  for (int col = in_registers + thread; col < m.cols; col += threads) {
    const float logit = logits[col];
    staged[col - in_registers] = logit;
    largest = fmaxf(largest, logit);
  }
  const float row_max = block_reduce<Max>(largest, partials);
  WATCH(largest);
  WATCH(row_max);

  float weights = Sum::identity();
#pragma unroll
  for (int i = 0; i < kHeldPerThread; ++i) {
    held[i] = weight(held[i], row_max);
    weights += held[i];
  }
  for (int col = in_registers + thread; col < m.cols; col += threads) {
    const float mine = weight(staged[col - in_registers], row_max);
    staged[col - in_registers] = mine;
    weights += mine;
  }
  const float inverse = inverse_of(block_reduce<Sum>(weights, partials));
  WATCH(weights);
  WATCH(inverse);

  float* probabilities = m.probabilities(blockIdx.x);
#pragma unroll
  for (int i = 0; i < kHeldPerThread; ++i) {
    const int col = thread + i * threads;
    if (col < m.cols) probabilities[col] = held[i] * inverse;
  }
  for (int col = in_registers + thread; col < m.cols; col += threads) probabilities[col] = staged[col - in_registers] * inverse;
}
// endregion block_row

/// The smallest block whose registers hold the row, or the largest there is.
int threads_for(int cols) {
  int threads = kFewestThreads;
  while (threads < kMostThreads && threads * kHeldPerThread < cols) threads *= 2;
  return threads;
}

size_t shared_bytes_for(int cols) {
  const int in_registers = threads_for(cols) * kHeldPerThread;
  const size_t staged = cols > in_registers ? cols - in_registers : 0;
  return (kMaxWarps + staged) * sizeof(float);
}

cudaError_t launch_by_block(const Rows& m) {
  const size_t bytes = shared_bytes_for(m.cols);
  // Beyond 48 KB a kernel has to ask; without this the launch fails and y stays as it was.
  WARPBOOK_TRY(cudaFuncSetAttribute(softmax_by_block, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  softmax_by_block<<<m.rows, threads_for(m.cols), bytes>>>(m);
  return cudaGetLastError();
}

// ---- beyond: several blocks a row, two reads -----------------------------------------------------------------------------

constexpr int kMostChunks = 32;

// region online
/// Maximum and sum of weights of the logits seen so far.
struct Online {
  float max;
  float sum;  // of exp(logit - max)
};

/// The sum as seen from a larger maximum. With no logit yet, max is -inf and -inf - (-inf) would be NaN.
__device__ __forceinline__ float rescaled(Online seen, float larger_max) {
  return seen.max == -INFINITY ? seen.sum : seen.sum * expf(seen.max - larger_max);
}

__device__ __forceinline__ Online with(Online seen, float logit) {
  if (logit > seen.max) seen = {logit, rescaled(seen, logit)};
  seen.sum += weight(logit, seen.max);
  return seen;
}

/// The merge over a block: first the common maximum, then the sums as seen from it.
__device__ Online block_merge(Online mine, float* partials) {
  const float max = block_reduce<Max>(mine.max, partials);
  return {max, block_reduce<Sum>(rescaled(mine, max), partials)};
}
// endregion online

/// Columns [first, last) of a chunk.
struct Chunk {
  int first, last;
};

__device__ Chunk chunk_of(int index, int chunks, int cols) {
  const int length = (cols - 1) / chunks + 1;
  return {index * length, min(cols, (index + 1) * length)};
}

// region split
/// Block (row, c) finds maximum and sum of chunk c and leaves them at slot c of the head of *every* chunk of y: in the second
/// kernel each block then reads only the chunk that it overwrites itself.
__global__ void __launch_bounds__(kMostThreads) softmax_partials(Rows m) {
  __shared__ float partials[kMaxWarps];
  const int chunks = gridDim.y;
  const Chunk chunk = chunk_of(blockIdx.y, chunks, m.cols);
  const float* logits = m.logits(blockIdx.x);

  Online mine = {Max::identity(), Sum::identity()};
  for (int col = chunk.first + threadIdx.x; col < chunk.last; col += blockDim.x) mine = with(mine, logits[col]);
  const Online all = block_merge(mine, partials);
  WATCH(mine.max);
  WATCH(mine.sum);

  const int reader = threadIdx.x;
  if (reader >= chunks) return;
  float* head = m.probabilities(blockIdx.x) + chunk_of(reader, chunks, m.cols).first;
  head[2 * blockIdx.y] = all.max;
  head[2 * blockIdx.y + 1] = all.sum;
}

/// Block (row, c) merges the row's partials, then writes chunk c.
__global__ void __launch_bounds__(kMostThreads) softmax_from_partials(Rows m) {
  __shared__ float partials[kMaxWarps];
  const int chunks = gridDim.y;
  const Chunk chunk = chunk_of(blockIdx.y, chunks, m.cols);
  const float* logits = m.logits(blockIdx.x);
  float* probabilities = m.probabilities(blockIdx.x);

  Online mine = {Max::identity(), Sum::identity()};
  const int slot = threadIdx.x;
  if (slot < chunks) mine = {probabilities[chunk.first + 2 * slot], probabilities[chunk.first + 2 * slot + 1]};
  const Online row = block_merge(mine, partials);  // its barriers stand between the last read of the head and the first write

  const float inverse = inverse_of(row.sum);
  for (int col = chunk.first + threadIdx.x; col < chunk.last; col += blockDim.x) {
    probabilities[col] = weight(logits[col], row.max) * inverse;
  }
}
// endregion split

/// Enough blocks to give every multiprocessor two, at most kMostChunks a row. Rows that come here have more than 16,384
/// columns, so that even the last chunk has room for the 2 * chunks numbers at its head.
cudaError_t launch_split(const Rows& m, int multiprocessors) {
  const int wanted = 2 * multiprocessors / m.rows;
  const int chunks = wanted < 1 ? 1 : wanted > kMostChunks ? kMostChunks : wanted;
  const dim3 grid(m.rows, chunks);
  softmax_partials<<<grid, kMostThreads>>>(m);
  WARPBOOK_TRY(cudaGetLastError());
  softmax_from_partials<<<grid, kMostThreads>>>(m);
  return cudaGetLastError();
}

}  // namespace

// region choice
cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  const Rows m = {x, y, rows, cols, x_stride, y_stride};
  if (cols <= kWarpRowCols) return launch_short(m);

  int device = 0, shared_limit = 0, multiprocessors = 0;
  WARPBOOK_TRY(cudaGetDevice(&device));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&shared_limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  if (shared_bytes_for(cols) <= static_cast<size_t>(shared_limit)) return launch_by_block(m);
  return launch_split(m, multiprocessors);
}
// endregion choice
