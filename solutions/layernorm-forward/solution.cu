// LayerNorm of rows of any length and any stride: y = (x - mean) / sqrt(variance + eps) * gamma + beta, float in and out.
//
// The idea: the distances from the mean are squared, never the values, so a row is gone over twice; and it is read once, because it waits
// on chip in between. Where it waits depends on its length:
//
//   cols                       path                         where the row waits                 reads of x
//   up to 1024                 4 to 32 lanes a row          registers, 4 to 32 a lane           1
//   up to what a block holds   a block a row                registers, then shared memory       1
//   beyond                     a block for each 4096 cols   registers, within a kernel          2
//
// A block holds 16,384 columns in registers and, with the 163 KB of shared memory of compute capability 8.0, 41,696 more; with the
// 227 KB of 9.0, 58,080. On the last path a first kernel leaves mean and squared distances of each chunk in scratch memory, and a second
// one finds those of the row from them in the same way: first the mean, then the distances from it. y cannot be the scratch, for it may
// be x.
//
// Every path exists twice: with four neighbouring columns an access where all addresses allow it, and with one.
//
// Contract: rows >= 0, 1 <= cols < 2^31 - 65536; strides in elements, at least cols; gamma and beta may be null (1 and 0); y may be x,
// with the same stride, otherwise nothing overlaps; no alignment is assumed. Population variance, eps > 0. A NaN makes its row NaN.
//
// Still bad: one misaligned argument sends the whole matrix down the road of single columns; gamma and beta come from cache once a row,
// where a loop over rows could keep them in registers; beyond some ten million columns the second kernel reads the chunks' moments more
// often than their columns.
//
// Run it: ./workbook run layernorm-forward --solution
#include <cuda_runtime.h>
#include <stdint.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kAllLanes;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::kWarpSize;
using warpbook::kernel::Sum;

struct Problem {
  const float* x;      // [rows, cols], row stride x_stride
  const float* gamma;  // [cols], or null: 1
  const float* beta;   // [cols], or null: 0
  float* y;            // [rows, cols], row stride y_stride; may be x, hence no __restrict__ on these two
  int rows, cols;
  long long x_stride, y_stride;  // 64 bits: row * stride passes 2^31 long before memory ends
  float eps;

  __device__ const float* x_row(long long row) const { return x + row * x_stride; }
  __device__ float* y_row(long long row) const { return y + row * y_stride; }
};

// ---- columns: the unit of an access --------------------------------------------------------------------------------------

// region columns
/// kWidth neighbouring columns of a row: 1, or 4 where every address is a multiple of 16 bytes.
template <int kWidth>
struct Columns {
  float at[kWidth];
};

/// gamma and beta are never written, and the compiler may know it: their loads need not wait for the stores of y. x may be y.
enum class Of { kInput, kWeights };

template <Of kOf, class T>
__device__ __forceinline__ T fetch(const T* from) {
  return kOf == Of::kWeights ? __ldg(from) : *from;
}

/// Columns from `col` on of a row of `cols`; 0 where the row has ended.
template <int kWidth, Of kOf = Of::kInput>
__device__ __forceinline__ Columns<kWidth> load(const float* row, int col, int cols) {
  if constexpr (kWidth == 4) {
    if (cols - col >= 4) {
      const float4 v = fetch<kOf>(reinterpret_cast<const float4*>(row + col));
      return {v.x, v.y, v.z, v.w};
    }
  }
  Columns<kWidth> columns;
#pragma unroll
  for (int j = 0; j < kWidth; ++j) columns.at[j] = col + j < cols ? fetch<kOf>(row + col + j) : 0.0f;
  return columns;
}

template <int kWidth>
__device__ __forceinline__ void store(float* row, int col, int cols, const Columns<kWidth>& columns) {
  if constexpr (kWidth == 4) {
    if (cols - col >= 4) {
      *reinterpret_cast<float4*>(row + col) = make_float4(columns.at[0], columns.at[1], columns.at[2], columns.at[3]);
      return;
    }
  }
#pragma unroll
  for (int j = 0; j < kWidth; ++j) {
    if (col + j < cols) row[col + j] = columns.at[j];
  }
}

template <int kWidth>
__device__ __forceinline__ float sum_of(const Columns<kWidth>& columns) {
  if constexpr (kWidth == 4) return (columns.at[0] + columns.at[1]) + (columns.at[2] + columns.at[3]);
  return columns.at[0];
}

/// Squared distances from the mean, of the columns that the row has: a gap of 0 would count with the square of the mean.
template <int kWidth>
__device__ __forceinline__ float squares_of(const Columns<kWidth>& columns, int col, int cols, float mean) {
  float squares = 0.0f;
#pragma unroll
  for (int j = 0; j < kWidth; ++j) {
    const float distance = col + j < cols ? columns.at[j] - mean : 0.0f;
    squares += distance * distance;
  }
  return squares;
}

/// The columns of y from `col` on.
template <int kWidth>
__device__ __forceinline__ Columns<kWidth> normalised(const Problem& p, int col, Columns<kWidth> columns, float mean, float scale) {
#pragma unroll
  for (int j = 0; j < kWidth; ++j) columns.at[j] = (columns.at[j] - mean) * scale;
  if (p.gamma != nullptr) {  // the same for the whole grid
    const Columns<kWidth> weight = load<kWidth, Of::kWeights>(p.gamma, col, p.cols);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) columns.at[j] *= weight.at[j];
  }
  if (p.beta != nullptr) {
    const Columns<kWidth> shift = load<kWidth, Of::kWeights>(p.beta, col, p.cols);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) columns.at[j] += shift.at[j];
  }
  return columns;
}
// endregion columns

// region held
/// What one of `lanes` threads holds of a row, or of a chunk of it, in registers: groups of kWidth columns, `lanes` groups apart.
template <int kWidth, int kHeld>
struct Held {
  static constexpr int kGroups = kHeld / kWidth;
  Columns<kWidth> group[kGroups];

  static __device__ __forceinline__ int column(int i, int lane, int lanes) { return (i * lanes + lane) * kWidth; }

  /// The only read of the row. Returns the sum of what this thread holds.
  __device__ __forceinline__ float read(const float* row, int cols, int lane, int lanes) {
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < kGroups; ++i) {
      group[i] = load<kWidth>(row, column(i, lane, lanes), cols);
      sum += sum_of(group[i]);
    }
    return sum;
  }

  __device__ __forceinline__ float squares(int cols, int lane, int lanes, float mean) const {
    float squares = 0.0f;
#pragma unroll
    for (int i = 0; i < kGroups; ++i) squares += squares_of(group[i], column(i, lane, lanes), cols, mean);
    return squares;
  }

  /// Writes the columns of y from `first` on, `cols` of them.
  __device__ __forceinline__ void write(const Problem& p, float* y_row, int first, int cols, int lane, int lanes, float mean,
                                        float scale) const {
#pragma unroll
    for (int i = 0; i < kGroups; ++i) {
      const int col = column(i, lane, lanes);
      if (col < cols) store(y_row + first, col, cols, normalised(p, first + col, group[i], mean, scale));
    }
  }
};
// endregion held

// ---- up to 1024 columns: some lanes of a warp a row ----------------------------------------------------------------------

constexpr int kTileThreads = 128;
constexpr int kTileRowCols = 1024;

// region tile
/// The sum over the kLanes neighbouring lanes of a tile, in each of them. Every lane of the warp must arrive.
template <int kLanes>
__device__ __forceinline__ float tile_sum(float value) {
#pragma unroll
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(kAllLanes, value, offset);
  return value;
}

/// A tile of kLanes lanes a row, 32 / kLanes rows a warp. No shared memory, no barrier.
template <int kWidth, int kLanes, int kHeld>
__global__ void __launch_bounds__(kTileThreads) layernorm_by_tile(Problem p) {
  constexpr int kRowsPerBlock = kTileThreads / kLanes;
  const int lane = threadIdx.x % kLanes;
  const long long row = static_cast<long long>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kLanes;
  const int cols = row < p.rows ? p.cols : 0;  // a tile without a row holds nothing, but its lanes take part in the shuffles

  Held<kWidth, kHeld> held;
  const float mean = tile_sum<kLanes>(held.read(p.x_row(row), cols, lane, kLanes)) / p.cols;
  const float variance = tile_sum<kLanes>(held.squares(cols, lane, kLanes, mean)) / p.cols;
  const float scale = rsqrtf(variance + p.eps);
  WATCH(mean);
  WATCH(scale);
  held.write(p, p.y_row(row), 0, cols, lane, kLanes, mean, scale);
}
// endregion tile

template <int kWidth, int kLanes, int kHeld>
cudaError_t launch_by_tile(const Problem& p) {
  constexpr int kRowsPerBlock = kTileThreads / kLanes;
  layernorm_by_tile<kWidth, kLanes, kHeld><<<(p.rows - 1) / kRowsPerBlock + 1, kTileThreads>>>(p);
  return cudaGetLastError();
}

/// Four columns a lane and as few lanes as that takes; from 128 columns on a whole warp and more columns a lane.
template <int kWidth>
cudaError_t launch_short(const Problem& p) {
  if (p.cols <= 16) return launch_by_tile<kWidth, 4, 4>(p);
  if (p.cols <= 32) return launch_by_tile<kWidth, 8, 4>(p);
  if (p.cols <= 64) return launch_by_tile<kWidth, 16, 4>(p);
  if (p.cols <= 128) return launch_by_tile<kWidth, 32, 4>(p);
  if (p.cols <= 256) return launch_by_tile<kWidth, 32, 8>(p);
  if (p.cols <= 512) return launch_by_tile<kWidth, 32, 16>(p);
  return launch_by_tile<kWidth, 32, 32>(p);
}

// ---- up to what a multiprocessor holds: a block a row --------------------------------------------------------------------

constexpr int kHeldPerThread = 16;
constexpr int kFewestThreads = 128;
constexpr int kMostThreads = 1024;

// region block
/// The first blockDim.x * kHeldPerThread columns wait in registers, the rest in shared memory. A thread reads back only what it wrote
/// itself, so the row needs no barrier.
template <int kWidth>
__global__ void __launch_bounds__(kMostThreads) layernorm_by_block(Problem p) {
  extern __shared__ float4 shared[];                   // float4 for its alignment
  float* partials = reinterpret_cast<float*>(shared);  // [kMaxWarps]
  float* staged = partials + kMaxWarps;                // [rest], the columns that registers do not hold
  const int thread = threadIdx.x;
  const int threads = blockDim.x;
  const int in_registers = min(p.cols, threads * kHeldPerThread);
  const int rest = p.cols - in_registers;
  const float* x_row = p.x_row(blockIdx.x);
  const float* x_rest = x_row + in_registers;

  Held<kWidth, kHeldPerThread> held;
  float sum = held.read(x_row, in_registers, thread, threads);
  for (int col = thread * kWidth; col < rest; col += threads * kWidth) {
    const Columns<kWidth> columns = load<kWidth>(x_rest, col, rest);
    store(staged, col, rest, columns);
    sum += sum_of(columns);
  }
  const float mean = block_reduce<Sum>(sum, partials) / p.cols;
  WATCH(sum);
  WATCH(mean);

  float squares = held.squares(in_registers, thread, threads, mean);
  for (int col = thread * kWidth; col < rest; col += threads * kWidth) {
    squares += squares_of(load<kWidth>(staged, col, rest), col, rest, mean);
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / p.cols + p.eps);
  WATCH(squares);
  WATCH(scale);

  float* y_row = p.y_row(blockIdx.x);
  held.write(p, y_row, 0, in_registers, thread, threads, mean, scale);
  for (int col = thread * kWidth; col < rest; col += threads * kWidth) {
    store(y_row + in_registers, col, rest, normalised(p, in_registers + col, load<kWidth>(staged, col, rest), mean, scale));
  }
}
// endregion block

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

template <int kWidth>
cudaError_t launch_by_block(const Problem& p) {
  const size_t bytes = shared_bytes_for(p.cols);
  // Beyond 48 KB a kernel has to ask; without this the launch fails and y stays as it was.
  WARPBOOK_TRY(cudaFuncSetAttribute(layernorm_by_block<kWidth>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  layernorm_by_block<kWidth><<<p.rows, threads_for(p.cols), bytes>>>(p);
  return cudaGetLastError();
}

// ---- beyond: a block for each chunk of a row, two reads ------------------------------------------------------------------

constexpr int kChunkThreads = 256;
constexpr int kChunkCols = kChunkThreads * kHeldPerThread;

// region split
/// A chunk of a row, told by two numbers.
struct Moments {
  float mean;
  float squares;  // squared distances from that mean, summed
};

__device__ __forceinline__ int columns_of(int chunk, int cols) { return min(kChunkCols, cols - chunk * kChunkCols); }

/// Block row * chunks + c leaves the moments of chunk c.
template <int kWidth>
__global__ void __launch_bounds__(kChunkThreads) moments_of_chunks(Problem p, int chunks,
                                                                   Moments* moments) {  // [rows, chunks]
  __shared__ float partials[kMaxWarps];
  const int chunk = blockIdx.x % chunks;
  const int cols = columns_of(chunk, p.cols);

  Held<kWidth, kHeldPerThread> held;
  const float sum = held.read(p.x_row(blockIdx.x / chunks) + chunk * kChunkCols, cols, threadIdx.x, kChunkThreads);
  const float mean = block_reduce<Sum>(sum, partials) / cols;
  const float squares = block_reduce<Sum>(held.squares(cols, threadIdx.x, kChunkThreads, mean), partials);
  WATCH(mean);
  WATCH(squares);
  if (threadIdx.x == 0) moments[blockIdx.x] = {mean, squares};
}

/// Block row * chunks + c finds the row's moments from those of its chunks and writes chunk c.
template <int kWidth>
__global__ void __launch_bounds__(kChunkThreads) layernorm_from_moments(Problem p, int chunks,
                                                                        const Moments* __restrict__ moments) {  // [rows, chunks]
  __shared__ float partials[kMaxWarps];
  const int row = blockIdx.x / chunks;
  const int chunk = blockIdx.x % chunks;
  const Moments* of_row = moments + static_cast<long long>(row) * chunks;

  float sum = 0.0f;  // the last chunk may be shorter and counts for less
  for (int i = threadIdx.x; i < chunks; i += kChunkThreads) sum += columns_of(i, p.cols) * of_row[i].mean;
  const float mean = block_reduce<Sum>(sum, partials) / p.cols;

  float squares = 0.0f;  // within the chunks, and of the chunks' means from the row's
  for (int i = threadIdx.x; i < chunks; i += kChunkThreads) {
    const float distance = of_row[i].mean - mean;
    squares += of_row[i].squares + columns_of(i, p.cols) * distance * distance;
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / p.cols + p.eps);
  WATCH(mean);
  WATCH(scale);

  const int cols = columns_of(chunk, p.cols);
  Held<kWidth, kHeldPerThread> held;
  held.read(p.x_row(row) + chunk * kChunkCols, cols, threadIdx.x, kChunkThreads);
  held.write(p, p.y_row(row), chunk * kChunkCols, cols, threadIdx.x, kChunkThreads, mean, scale);
}

template <int kWidth>
cudaError_t launch_split(const Problem& p) {
  const int chunks = (p.cols - 1) / kChunkCols + 1;
  const long long blocks = static_cast<long long>(p.rows) * chunks;
  if (blocks > INT32_MAX) return cudaErrorInvalidValue;  // 2^43 columns, 35 terabytes

  Moments* moments = nullptr;  // [rows, chunks]
  WARPBOOK_TRY(cudaMallocAsync(&moments, blocks * sizeof(Moments), 0));
  moments_of_chunks<kWidth><<<static_cast<int>(blocks), kChunkThreads>>>(p, chunks, moments);
  cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) {
    layernorm_from_moments<kWidth><<<static_cast<int>(blocks), kChunkThreads>>>(p, chunks, moments);
    status = cudaGetLastError();
  }
  const cudaError_t freed = cudaFreeAsync(moments, 0);  // in stream order: after both kernels
  return status != cudaSuccess ? status : freed;
}
// endregion split

// region choice
template <int kWidth>
cudaError_t launch(const Problem& p) {
  if (p.cols <= kTileRowCols) return launch_short<kWidth>(p);
  int device = 0, shared_limit = 0;
  WARPBOOK_TRY(cudaGetDevice(&device));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&shared_limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return shared_bytes_for(p.cols) <= static_cast<size_t>(shared_limit) ? launch_by_block<kWidth>(p) : launch_split<kWidth>(p);
}

bool on_16_bytes(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer) % 16 == 0; }  // null is

}  // namespace

cudaError_t launch_layernorm(const float* x,      // [rows, cols], row stride x_stride
                             const float* gamma,  // [cols] or null
                             const float* beta,   // [cols] or null
                             float* y,            // [rows, cols], row stride y_stride; may be x
                             int rows, int cols, long long x_stride, long long y_stride, float eps) {
  if (rows == 0) return cudaSuccess;  // a grid of no blocks is an error
  const Problem p = {x, gamma, beta, y, rows, cols, x_stride, y_stride, eps};
  const bool bases = on_16_bytes(x) && on_16_bytes(gamma) && on_16_bytes(beta) && on_16_bytes(y);
  const bool strides = rows == 1 || (x_stride % 4 == 0 && y_stride % 4 == 0);
  return bases && strides ? launch<4>(p) : launch<1>(p);
}
// endregion choice
