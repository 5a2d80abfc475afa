// Cross-entropy of rows of any length and any stride against one target each, with its gradient where it is wanted:
// loss = (m - x_t) + log(d), gradient_j = scale * (exp(x_j - m) / d - [j = t]), m the largest of the row and d = sum of exp(x_j - m).
//
// The idea: every row is read once where it fits on chip, and what does not fit is split over blocks, so that a batch of a few long
// rows keeps the whole device busy. Which path serves which shape:
//
//   cols                                          path                  where the row waits      reads of the logits
//   up to 1024                                    a warp a row          registers                1
//   up to 58,080 (41,696 before capability 9.0)   a block a row         shared memory            1
//   longer; from 16,384 on where rows are few     several blocks a row  nowhere                  2, and 1 for the loss alone
//
// The loss alone takes the last path from 1025 columns on: without a second walk there is nothing to wait for. Blocks of that path
// leave (maximum, sum) of their chunks in scratch memory of the stream. The gradient cannot serve for that, as y does in row-softmax:
// it may be absent, and it may be the logits themselves.
//
// In place: gradient may be logits, so no pointer here is __restrict__, and whatever is read of a row is read before a thread that
// could overwrite it may write. For the logit at the target, which one thread reads for all, the barriers of the sums stand between.
//
// Contract: rows >= 0, cols >= 1; strides in elements, at least cols; no alignment is assumed. A target of -100: the row does not
// count, loss and gradient are 0 whatever the logits hold. Any other target outside of the row: NaN. -inf masks a column (gradient 0);
// a masked target has a loss of +inf. NaN or +inf in a row: NaN. A row that is masked throughout has no answer. |x| up to 1e30.
//
// Still bad: float4 only where base, stride and length allow it for the whole matrix (a vocabulary of 50,257 in rows of 50,304 would
// allow it but for the last column), and the split path reads twice where a cluster of blocks could keep the row.
//
// Run it: ./workbook run cross-entropy --solution
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

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

constexpr int kIgnored = -100;  // the target of a row that does not count

/// Rows with a target each.
struct Batch {
  const float* logits;  // [rows, cols], row stride logits_stride
  const int* targets;   // [rows]
  float* loss;          // [rows]
  float* gradient;      // [rows, cols], row stride gradient_stride; null: not wanted; may be logits
  int rows, cols;
  float scale;
  long long logits_stride, gradient_stride;  // 64 bits: row * stride passes 2^31 long before memory ends

  __device__ const float* logits_of(long long row) const { return logits + row * logits_stride; }
  __device__ float* gradient_of(long long row) const { return gradient + row * gradient_stride; }
  __device__ bool has_column(int target) const { return target >= 0 && target < cols; }
};

// region packs
/// Floats that one instruction moves: four where base and stride are multiples of 16 bytes, else one.
template <int kWidth>
struct alignas(kWidth * sizeof(float)) Pack {
  float v[kWidth];
};

template <int kWidth>
__device__ __forceinline__ Pack<kWidth> load(const float* from) {
  return *reinterpret_cast<const Pack<kWidth>*>(from);
}

template <int kWidth>
__device__ __forceinline__ void store(float* to, const Pack<kWidth>& pack) {
  *reinterpret_cast<Pack<kWidth>*>(to) = pack;
}
// endregion packs

// region pieces
/// The loss, and the gradient of the logit in a column that weighs exp(logit - m). Differences of logits first: log(d) would vanish
/// beside a large maximum.
__device__ __forceinline__ float loss_of(float row_max, float target_logit, float total) { return (row_max - target_logit) + logf(total); }
__device__ __forceinline__ float slope(float weight, float inverse, bool at_target, float scale) {
  return scale * (weight * inverse - (at_target ? 1.0f : 0.0f));
}

/// A row without a column to aim at: 0 where it does not count, NaN where the target is nobody's column. Threads first, first + step...
/// of those that share the row write columns [begin, end); the one with `leads` writes the loss.
__device__ void write_without_target(const Batch& b, long long row, int target, int begin, int end, int first, int step, bool leads) {
  const float everywhere = target == kIgnored ? 0.0f : NAN;
  if (leads) b.loss[row] = everywhere;
  if (b.gradient == nullptr) return;
  float* gradient = b.gradient_of(row);
  for (int col = begin + first; col < end; col += step) gradient[col] = everywhere;
}
// endregion pieces

// ---- up to 1024 columns: a warp a row ------------------------------------------------------------------------------------

constexpr int kWarpRowCols = 1024;
constexpr int kRowsPerBlock = 4;

// region warp_row
/// The row waits in registers, `kHeld` packs a lane; gaps hold -inf and weigh nothing. No shared memory, no barrier of the block.
template <int kWidth, int kHeld>
__global__ void __launch_bounds__(kRowsPerBlock* kWarpSize) cross_entropy_by_warp(Batch b) {
  const int lane = threadIdx.x % kWarpSize;
  const long long row = static_cast<long long>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kWarpSize;
  if (row >= b.rows) return;  // a whole warp leaves, and no barrier waits for it
  const int target = b.targets[row];
  if (!b.has_column(target)) return write_without_target(b, row, target, 0, b.cols, lane, kWarpSize, lane == 0);

  const float* logits = b.logits_of(row);
  const float target_logit = lane == 0 ? logits[target] : 0.0f;
  Pack<kWidth> held[kHeld];
  float largest = Max::identity();
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = (lane + i * kWarpSize) * kWidth;
    if (col < b.cols) held[i] = load<kWidth>(logits + col);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      if (col >= b.cols) held[i].v[j] = -INFINITY;
      largest = fmaxf(largest, held[i].v[j]);
    }
  }
  const float row_max = warp_reduce<Max>(largest);
  WATCH(row_max);

  float weights = Sum::identity();
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      held[i].v[j] = expf(held[i].v[j] - row_max);
      weights += held[i].v[j];
    }
  }
  const float total = warp_reduce<Sum>(weights);
  WATCH(total);

  if (lane == 0) b.loss[row] = loss_of(row_max, target_logit, total);
  if (b.gradient == nullptr) return;
  __syncwarp();  // in place, another lane overwrites the logit at the target; shuffles alone order no memory
  float* gradient = b.gradient_of(row);
  const float inverse = 1.0f / total;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = (lane + i * kWarpSize) * kWidth;
#pragma unroll
    for (int j = 0; j < kWidth; ++j) held[i].v[j] = slope(held[i].v[j], inverse, col + j == target, b.scale);
    if (col < b.cols) store(gradient + col, held[i]);
  }
}
// endregion warp_row

template <int kWidth, int kHeld>
cudaError_t launch_by_warp(const Batch& b) {
  const int blocks = (b.rows - 1) / kRowsPerBlock + 1;
  cross_entropy_by_warp<kWidth, kHeld><<<blocks, kRowsPerBlock * kWarpSize>>>(b);
  return cudaGetLastError();
}

/// Registers for 32, 128, 512 or 1024 columns in single floats, for 128, 256, 512 or 1024 in fours: each is a kernel to compile.
template <int kWidth>
cudaError_t launch_short(const Batch& b) {
  constexpr int kSmall = kWidth == 4 ? 2 : 4, kMiddle = 16 / kWidth, kLarge = 32 / kWidth;
  if (b.cols <= kWarpSize * kWidth) return launch_by_warp<kWidth, 1>(b);
  if (b.cols <= kWarpSize * kWidth * kSmall) return launch_by_warp<kWidth, kSmall>(b);
  if (b.cols <= kWarpSize * kWidth * kMiddle) return launch_by_warp<kWidth, kMiddle>(b);
  return launch_by_warp<kWidth, kLarge>(b);
}

// ---- up to what shared memory holds: a block a row -----------------------------------------------------------------------

constexpr int kFewestThreads = 128;
constexpr int kMostThreads = 1024;

// region block_row
/// The row waits in shared memory, first as logits, then as weights. Every thread reads back only what it wrote, so the row itself
/// needs no barrier; those of the reductions order the read of the target before the first write of the gradient.
template <int kWidth>
__global__ void __launch_bounds__(kMostThreads) cross_entropy_by_block(Batch b) {
  extern __shared__ float4 shared[];  // [kMaxWarps + cols] floats; as float4, so that packs are aligned
  float* partials = reinterpret_cast<float*>(shared);
  float* staged = partials + kMaxWarps;
  const long long row = blockIdx.x;
  const int target = b.targets[row];
  const int first = threadIdx.x * kWidth;
  const int step = blockDim.x * kWidth;
  if (!b.has_column(target)) return write_without_target(b, row, target, 0, b.cols, threadIdx.x, blockDim.x, threadIdx.x == 0);

  const float* logits = b.logits_of(row);
  const float target_logit = threadIdx.x == 0 ? logits[target] : 0.0f;
  float largest = Max::identity();
  for (int col = first; col < b.cols; col += step) {
    const Pack<kWidth> pack = load<kWidth>(logits + col);
    store(staged + col, pack);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) largest = fmaxf(largest, pack.v[j]);
  }
  const float row_max = block_reduce<Max>(largest, partials);
  WATCH(row_max);

  float weights = Sum::identity();
  for (int col = first; col < b.cols; col += step) {
    Pack<kWidth> pack = load<kWidth>(staged + col);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      pack.v[j] = expf(pack.v[j] - row_max);
      weights += pack.v[j];
    }
    store(staged + col, pack);
  }
  const float total = block_reduce<Sum>(weights, partials);
  WATCH(total);

  if (threadIdx.x == 0) b.loss[row] = loss_of(row_max, target_logit, total);
  float* gradient = b.gradient_of(row);
  const float inverse = 1.0f / total;
  for (int col = first; col < b.cols; col += step) {
    Pack<kWidth> pack = load<kWidth>(staged + col);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) pack.v[j] = slope(pack.v[j], inverse, col + j == target, b.scale);
    store(gradient + col, pack);
  }
}
// endregion block_row

size_t shared_bytes_for(int cols) { return (kMaxWarps + static_cast<size_t>(cols)) * sizeof(float); }

/// About 16 columns a thread.
int threads_for(int cols) {
  int threads = kFewestThreads;
  while (threads < kMostThreads && threads * 16 < cols) threads *= 2;
  return threads;
}

template <int kWidth>
cudaError_t launch_by_block(const Batch& b) {
  const size_t bytes = shared_bytes_for(b.cols);
  // Beyond 48 KB a kernel has to ask; without this the launch fails.
  WARPBOOK_TRY(cudaFuncSetAttribute(cross_entropy_by_block<kWidth>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  cross_entropy_by_block<kWidth><<<b.rows, threads_for(b.cols), bytes>>>(b);
  return cudaGetLastError();
}

// ---- several blocks a row ------------------------------------------------------------------------------------------------

constexpr int kSplitThreads = 256;
constexpr int kFewestChunkCols = 8192;  // 32 columns a thread pay for the reduction at the end
constexpr int kMostChunks = 32;         // a lane each when they are merged

// region online
/// Maximum of the logits of a part of a row, and the sum of exp(logit - max). Of no logits, or only masked ones: -inf and 0.
struct Online {
  float max, sum;
};

/// The sum as seen from a maximum that is not smaller. A part without a finite logit keeps what it has: 0, or a NaN that it met.
__device__ __forceinline__ float moved(Online part, float larger) {
  return part.max == -INFINITY ? part.sum : part.sum * expf(part.max - larger);
}

template <int kWidth>
__device__ Online with(Online seen, const Pack<kWidth>& pack) {
  float larger = seen.max;
#pragma unroll
  for (int j = 0; j < kWidth; ++j) larger = fmaxf(larger, pack.v[j]);
  float sum = moved(seen, larger);
#pragma unroll
  for (int j = 0; j < kWidth; ++j) sum += pack.v[j] == -INFINITY ? 0.0f : expf(pack.v[j] - larger);
  return {larger, sum};
}
// endregion online

/// Columns [begin, end) of a chunk. Its length is a multiple of 4, so that chunks begin where packs do.
struct Chunk {
  int begin, end;
};

__device__ Chunk chunk_of(int index, int chunks, int cols) {
  const int length = (cols / chunks / 4 + 1) * 4;
  return {min(cols, index * length), min(cols, (index + 1) * length)};
}

// region split
/// Block (row, c) leaves maximum and sum of chunk c in parts[row][c]. Rows without a target leave nothing.
template <int kWidth>
__global__ void __launch_bounds__(kSplitThreads) chunks_of_rows(Batch b,
                                                                Online* parts) {  // [rows, chunks], dense
  __shared__ float partials[kMaxWarps];
  const long long row = blockIdx.x;
  if (!b.has_column(b.targets[row])) return;  // all threads of the block
  const Chunk chunk = chunk_of(blockIdx.y, gridDim.y, b.cols);
  const float* logits = b.logits_of(row);

  Online mine = {Max::identity(), Sum::identity()};
  for (int col = chunk.begin + threadIdx.x * kWidth; col < chunk.end; col += kSplitThreads * kWidth) {
    mine = with(mine, load<kWidth>(logits + col));
  }
  WATCH(mine.max);
  WATCH(mine.sum);
  const float max = block_reduce<Max>(mine.max, partials);
  const float sum = block_reduce<Sum>(moved(mine, max), partials);
  if (threadIdx.x == 0) parts[row * gridDim.y + blockIdx.y] = {max, sum};
}

/// Every warp merges the parts of its row, a lane each, and arrives at the same bits. Block (row, c) then writes the gradient of chunk c,
/// the block to whose chunk the target belongs also the loss.
template <int kWidth>
__global__ void __launch_bounds__(kSplitThreads) rows_from_chunks(Batch b, int chunks,
                                                                  const Online* parts) {  // [rows, chunks], dense
  const long long row = blockIdx.x;
  const int lane = threadIdx.x % kWarpSize;
  const int target = b.targets[row];
  // The loss alone comes with one block a row, which then has the row for its chunk.
  const Chunk chunk = chunk_of(blockIdx.y, gridDim.y, b.cols);
  if (!b.has_column(target)) {
    return write_without_target(b, row, target, chunk.begin, chunk.end, threadIdx.x, kSplitThreads, blockIdx.y == 0 && threadIdx.x == 0);
  }

  const float* logits = b.logits_of(row);
  const bool leads = threadIdx.x == 0 && target >= chunk.begin && target < chunk.end;
  const float target_logit = leads ? logits[target] : 0.0f;
  const Online part = lane < chunks ? parts[row * chunks + lane] : Online{Max::identity(), Sum::identity()};
  const float row_max = warp_reduce<Max>(part.max);
  const float total = warp_reduce<Sum>(moved(part, row_max));
  WATCH(row_max);
  WATCH(total);
  if (leads) b.loss[row] = loss_of(row_max, target_logit, total);
  if (b.gradient == nullptr) return;

  __syncthreads();  // in place, another thread overwrites the logit at the target
  float* gradient = b.gradient_of(row);
  const float inverse = 1.0f / total;
  for (int col = chunk.begin + threadIdx.x * kWidth; col < chunk.end; col += kSplitThreads * kWidth) {
    Pack<kWidth> pack = load<kWidth>(logits + col);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) pack.v[j] = slope(expf(pack.v[j] - row_max), inverse, col + j == target, b.scale);
    store(gradient + col, pack);
  }
}
// endregion split

/// Enough blocks to give every multiprocessor four, none with less than kFewestChunkCols columns.
int chunks_for(const Batch& b, int multiprocessors) {
  const int wanted = 4 * multiprocessors / b.rows;
  const int most = b.cols / kFewestChunkCols < kMostChunks ? b.cols / kFewestChunkCols : kMostChunks;
  return wanted < most ? (wanted < 1 ? 1 : wanted) : (most < 1 ? 1 : most);
}

template <int kWidth>
cudaError_t launch_split(const Batch& b, int multiprocessors) {
  const int chunks = chunks_for(b, multiprocessors);
  Online* parts = nullptr;  // [rows, chunks]
  WARPBOOK_TRY(cudaMallocAsync(&parts, static_cast<size_t>(b.rows) * chunks * sizeof(Online), 0));
  chunks_of_rows<kWidth><<<dim3(b.rows, chunks), kSplitThreads>>>(b, parts);
  cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) {
    const dim3 grid(b.rows, b.gradient == nullptr ? 1 : chunks);
    rows_from_chunks<kWidth><<<grid, kSplitThreads>>>(b, chunks, parts);
    status = cudaGetLastError();
  }
  const cudaError_t freed = cudaFreeAsync(parts, 0);  // in the order of the stream: after both kernels
  return status != cudaSuccess ? status : freed;
}

// ---- which path ----------------------------------------------------------------------------------------------------------

// region choice
constexpr int kSplitFromCols = 16384;  // below, one block is done before a second launch would have begun

template <int kWidth>
cudaError_t launch(const Batch& b) {
  if (b.cols <= kWarpRowCols) return launch_short<kWidth>(b);
  int device = 0, shared_limit = 0, multiprocessors = 0;
  WARPBOOK_TRY(cudaGetDevice(&device));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&shared_limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const bool fits = shared_bytes_for(b.cols) <= static_cast<size_t>(shared_limit);
  const bool leaves_most_idle = b.cols >= kSplitFromCols && b.rows * 2LL <= multiprocessors;
  if (b.gradient == nullptr || !fits || leaves_most_idle) return launch_split<kWidth>(b, multiprocessors);
  return launch_by_block<kWidth>(b);
}

bool on_16_bytes(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer) % 16 == 0; }  // null is
// endregion choice

}  // namespace

cudaError_t launch_cross_entropy(const float* logits,  // [rows, cols], row stride logits_stride
                                 const int* targets,   // [rows]
                                 float* loss,          // [rows]
                                 float* gradient,      // [rows, cols], row stride gradient_stride, or null; may be logits
                                 int rows, int cols, float scale, long long logits_stride, long long gradient_stride) {
  if (rows == 0) return cudaSuccess;
  const Batch b = {logits, targets, loss, gradient, rows, cols, scale, logits_stride, gradient_stride};
  const bool in_fours = cols % 4 == 0 && logits_stride % 4 == 0 && on_16_bytes(logits) &&
                        (gradient == nullptr || (gradient_stride % 4 == 0 && on_16_bytes(gradient)));
  return in_fours ? launch<4>(b) : launch<1>(b);
}
