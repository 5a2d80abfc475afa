// The gradient of LayerNorm for rows of any length and any stride. With r = (x - mean) / sqrt(variance + eps) of each row and
// g = dy * gamma:
//
//   dx = (g - mean(g) - r mean(g r)) / sqrt(variance + eps)      dgamma = sum over rows of dy r      dbeta = sum over rows of dy
//
// The idea: dx wants sums along the rows, dgamma and dbeta sums down the columns, and both want x and dy, which are read once. So a
// group of threads walks down several rows, each thread on columns of its own: the row waits in registers until its sums are known, and the
// column sums grow in registers until the last row. Each group leaves its column sums in scratch memory, and a last kernel adds those of
// the groups. Nothing is added atomically, so every run gives the same bits.
//
//   cols                 path                            where a row waits               reads of x and of dy
//   up to 256            8 or 32 lanes a row             registers, 4 or 8 columns       1
//   up to 8192           a block a row                   registers, 8 or 16 columns      1
//   beyond               a block for each 4096 columns   registers, within a kernel      2
//
// The sums of a row come in two rounds instead of four, in pairs: first x and g, then, with d = x - mean, d^2 and g d. The scale that makes
// r of d is known only after the second round; it factors out of the sum.
//
// On the last path a first kernel leaves {mean, sum of d^2, sum of g, sum of g d} of each chunk, d from the chunk's own mean. Seen from
// the row's mean every d is larger by what the two means differ. What that adds to the two sums with d follows from the other two numbers
// and the count: no column is read for it.
//
// Contract: rows >= 0, 1 <= cols < 2^31 - 65536; strides in elements, at least cols; gamma may be null (1), dgamma and dbeta too (not
// wanted); dx may be dy, with the same stride, otherwise nothing overlaps; no alignment is assumed. Population variance, eps > 0. Without
// rows dgamma and dbeta are 0.
//
// Still bad: the number of groups is a guess, and with few rows of many columns their sums are a good part of the traffic; in the
// middle path the whole block waits four times a row, and no row is on its way while it does.
//
// Run it: ./workbook run layernorm-backward --solution
#include <cuda_runtime.h>
#include <stdint.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::kAllLanes;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::kWarpSize;

struct Problem {
  const float* x;      // [rows, cols], row stride x_stride
  const float* gamma;  // [cols], or null: 1
  const float* dy;     // [rows, cols], row stride dy_stride
  float* dx;           // [rows, cols], row stride dx_stride; may be dy, hence no __restrict__ on these two
  int rows, cols;
  long long x_stride, dy_stride, dx_stride;  // 64 bits: row * stride passes 2^31 long before memory ends
  float eps;
};

/// Column sums of groups of rows, in scratch memory.
struct GroupSums {
  float* memory;  // [groups, 2, pitch]: dgamma and dbeta of each group; null where nobody wants them
  int groups;
  int pitch;  // cols, rounded up to four

  __device__ float* dgamma(int group) const { return memory + static_cast<long long>(group) * 2 * pitch; }
  __device__ float* dbeta(int group) const { return dgamma(group) + pitch; }
};

// ---- sums of two numbers at a time ---------------------------------------------------------------------------------------

// region pairs
struct Pair {
  float a, b;
};

/// The sums over the kLanes neighbouring lanes of a tile, in each of them. Every lane of the warp must arrive.
template <int kLanes>
__device__ __forceinline__ Pair tile_sum(Pair v) {
#pragma unroll
  for (int offset = kLanes / 2; offset > 0; offset /= 2) {
    v.a += __shfl_xor_sync(kAllLanes, v.a, offset);
    v.b += __shfl_xor_sync(kAllLanes, v.b, offset);
  }
  return v;
}

/// The sums over a block of whole warps, in every thread.
__device__ __forceinline__ Pair block_sum(Pair v,
                                          Pair* partials) {  // [kMaxWarps], shared memory
  const int lane = threadIdx.x % kWarpSize;
  const int warps = blockDim.x / kWarpSize;
  v = tile_sum<kWarpSize>(v);
  if (lane == 0) partials[threadIdx.x / kWarpSize] = v;
  __syncthreads();
  v = lane < warps ? partials[lane] : Pair{0.0f, 0.0f};
  v = tile_sum<kWarpSize>(v);
  __syncthreads();  // all have read: the next row may publish
  return v;
}
// endregion pairs

// ---- what a thread holds -------------------------------------------------------------------------------------------------

/// kWidth neighbouring columns of a row: 1, or 4 where every address is a multiple of 16 bytes.
template <int kWidth>
struct Columns {
  float at[kWidth];
};

/// Columns from `col` on of a row of `cols`; 0 where the row has ended.
template <int kWidth>
__device__ __forceinline__ Columns<kWidth> load(const float* row, int col, int cols) {
  if constexpr (kWidth == 4) {
    if (cols - col >= 4) {
      const float4 v = *reinterpret_cast<const float4*>(row + col);
      return {v.x, v.y, v.z, v.w};
    }
  }
  Columns<kWidth> columns;
#pragma unroll
  for (int j = 0; j < kWidth; ++j) columns.at[j] = col + j < cols ? row[col + j] : 0.0f;
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

// region row
/// What dx of a row takes besides its columns.
struct Row {
  float scale, mean_g, mean_gr;
};

/// From the sums of both rounds: of x and g, then of d^2 and g d.
__device__ __forceinline__ Row row_of(const Problem& p, Pair means, Pair squares) {
  const float scale = rsqrtf(squares.a / p.cols + p.eps);
  const float mean_g = means.b / p.cols;
  const float mean_gr = squares.b * scale / p.cols;
  WATCH(scale);
  WATCH(mean_g);
  WATCH(mean_gr);
  return {scale, mean_g, mean_gr};
}
// endregion row

// region share
/// The columns that one of `lanes` threads takes care of in every row of its group: groups of kWidth columns, `lanes` groups apart. `cols`
/// is the end of the row, or of the chunk, or 0 for a tile that has no row: what lies beyond counts for nothing and is not written.
template <int kWidth, int kHeld>
struct Share {
  static constexpr int kGroups = kHeld / kWidth;
  int lane, lanes;
  Columns<kWidth> gamma[kGroups], x[kGroups], dy[kGroups];  // x becomes the distance from the mean
  Columns<kWidth> dgamma[kGroups], dbeta[kGroups];          // sums over the rows so far

  __device__ __forceinline__ int column(int i) const { return (i * lanes + lane) * kWidth; }

  __device__ __forceinline__ Share(const float* weights, int cols, int lane, int lanes) : lane(lane), lanes(lanes) {
#pragma unroll
    for (int i = 0; i < kGroups; ++i) {
      if (weights != nullptr) gamma[i] = load<kWidth>(weights, column(i), cols);
#pragma unroll
      for (int j = 0; j < kWidth; ++j) {
        if (weights == nullptr) gamma[i].at[j] = 1.0f;
        dgamma[i].at[j] = dbeta[i].at[j] = 0.0f;
      }
    }
  }

  /// The only read of a row. Returns the sums of x and of g.
  __device__ __forceinline__ Pair read(const float* x_row, const float* dy_row, int cols) {
    Pair sums = {0.0f, 0.0f};
#pragma unroll
    for (int i = 0; i < kGroups; ++i) {
      x[i] = load<kWidth>(x_row, column(i), cols);
      dy[i] = load<kWidth>(dy_row, column(i), cols);
#pragma unroll
      for (int j = 0; j < kWidth; ++j) {
        sums.a += x[i].at[j];
        sums.b += dy[i].at[j] * gamma[i].at[j];
      }
    }
    return sums;
  }

  /// x becomes d = x - mean, and 0 where the row has no column. Returns the sums of d^2 and of g d.
  __device__ __forceinline__ Pair centre(float mean, int cols) {
    Pair sums = {0.0f, 0.0f};
#pragma unroll
    for (int i = 0; i < kGroups; ++i) {
#pragma unroll
      for (int j = 0; j < kWidth; ++j) {
        const float d = column(i) + j < cols ? x[i].at[j] - mean : 0.0f;
        x[i].at[j] = d;
        sums.a += d * d;
        sums.b += dy[i].at[j] * gamma[i].at[j] * d;
      }
    }
    return sums;
  }

  /// Writes the row's dx and adds the row to the column sums.
  __device__ __forceinline__ void finish(float* dx_row, int cols, Row row) {
#pragma unroll
    for (int i = 0; i < kGroups; ++i) {
      Columns<kWidth> dx;
#pragma unroll
      for (int j = 0; j < kWidth; ++j) {
        const float r = x[i].at[j] * row.scale;
        dgamma[i].at[j] += dy[i].at[j] * r;
        dbeta[i].at[j] += dy[i].at[j];
        dx.at[j] = (dy[i].at[j] * gamma[i].at[j] - row.mean_g - r * row.mean_gr) * row.scale;
      }
      store(dx_row, column(i), cols, dx);
    }
  }

  /// Leaves the column sums in a matrix that has every column of them, or [0, cols).
  __device__ __forceinline__ void leave(float* of_dgamma, float* of_dbeta, int cols) const {
#pragma unroll
    for (int i = 0; i < kGroups; ++i) {
      store(of_dgamma, column(i), cols, dgamma[i]);
      store(of_dbeta, column(i), cols, dbeta[i]);
    }
  }
};
// endregion share

// ---- up to 256 columns: some lanes of a warp a row -----------------------------------------------------------------------

constexpr int kTileThreads = 128;
constexpr int kTileRowCols = 256;

// region tile
/// In each turn the grid's tiles of kLanes lanes take a row each; then the tiles of a block add up their columns.
template <int kWidth, int kLanes, int kHeld>
__global__ void __launch_bounds__(kTileThreads) gradient_by_tile(Problem p, GroupSums sums) {
  constexpr int kTiles = kTileThreads / kLanes;
  constexpr int kTileCols = kLanes * kHeld;
  __shared__ __align__(16) float dgamma_of[kTiles][kTileCols];
  __shared__ __align__(16) float dbeta_of[kTiles][kTileCols];
  const int tile = threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;

  Share<kWidth, kHeld> mine(p.gamma, p.cols, lane, kLanes);
  const long long step = static_cast<long long>(gridDim.x) * kTiles;
  for (long long first = static_cast<long long>(blockIdx.x) * kTiles; first < p.rows; first += step) {  // whole warps stay together
    const long long row = first + tile;
    const int cols = row < p.rows ? p.cols : 0;
    const Pair means = tile_sum<kLanes>(mine.read(p.x + row * p.x_stride, p.dy + row * p.dy_stride, cols));
    const Pair squares = tile_sum<kLanes>(mine.centre(means.a / p.cols, cols));
    mine.finish(p.dx + row * p.dx_stride, cols, row_of(p, means, squares));
  }

  if (sums.memory == nullptr) return;  // the whole grid
  mine.leave(dgamma_of[tile], dbeta_of[tile], kTileCols);
  __syncthreads();
  for (int col = threadIdx.x; col < p.cols; col += kTileThreads) {
    float dgamma = 0.0f;
    float dbeta = 0.0f;
    for (int t = 0; t < kTiles; ++t) {
      dgamma += dgamma_of[t][col];
      dbeta += dbeta_of[t][col];
    }
    sums.dgamma(blockIdx.x)[col] = dgamma;
    sums.dbeta(blockIdx.x)[col] = dbeta;
  }
}
// endregion tile

template <int kWidth, int kLanes, int kHeld>
cudaError_t launch_by_tile(const Problem& p, const GroupSums& sums) {
  gradient_by_tile<kWidth, kLanes, kHeld><<<sums.groups, kTileThreads>>>(p, sums);
  return cudaGetLastError();
}

/// Lanes of a tile: eight, or a warp.
int lanes_for(int cols) { return cols <= 32 ? 8 : kWarpSize; }

template <int kWidth>
cudaError_t launch_short(const Problem& p, const GroupSums& sums) {
  if (p.cols <= 32) return launch_by_tile<kWidth, 8, 4>(p, sums);
  if (p.cols <= 128) return launch_by_tile<kWidth, 32, 4>(p, sums);
  return launch_by_tile<kWidth, 32, 8>(p, sums);
}

// ---- up to 8192 columns: a block a row -----------------------------------------------------------------------------------

constexpr int kBlockHeld = 8;
constexpr int kMostHeld = 16;
constexpr int kFewestThreads = 64;
constexpr int kMostThreads = 512;  // 128 registers a thread: the five numbers that it has for each of 16 columns fit
constexpr int kBlockRowCols = kMostThreads * kMostHeld;

// region block
/// Block b walks down rows b, b + gridDim.x, ...; its threads' columns are nobody else's, so its sums are those of the threads.
template <int kWidth, int kHeld>
__global__ void __launch_bounds__(kMostThreads) gradient_by_block(Problem p, GroupSums sums) {
  __shared__ Pair partials[kMaxWarps];
  Share<kWidth, kHeld> mine(p.gamma, p.cols, threadIdx.x, blockDim.x);
  for (long long row = blockIdx.x; row < p.rows; row += gridDim.x) {
    const Pair means = block_sum(mine.read(p.x + row * p.x_stride, p.dy + row * p.dy_stride, p.cols), partials);
    const Pair squares = block_sum(mine.centre(means.a / p.cols, p.cols), partials);
    mine.finish(p.dx + row * p.dx_stride, p.cols, row_of(p, means, squares));
  }
  if (sums.memory != nullptr) mine.leave(sums.dgamma(blockIdx.x), sums.dbeta(blockIdx.x), p.cols);
}
// endregion block

/// The smallest block that holds the row at eight columns a thread, or the largest, at sixteen.
int threads_for(int cols) {
  int threads = kFewestThreads;
  while (threads < kMostThreads && threads * kBlockHeld < cols) threads *= 2;
  return threads;
}

template <int kWidth>
cudaError_t launch_by_block(const Problem& p, const GroupSums& sums) {
  const int threads = threads_for(p.cols);
  if (p.cols <= threads * kBlockHeld) {
    gradient_by_block<kWidth, kBlockHeld><<<sums.groups, threads>>>(p, sums);
  } else {
    gradient_by_block<kWidth, kMostHeld><<<sums.groups, threads>>>(p, sums);
  }
  return cudaGetLastError();
}

// ---- beyond: a block for each chunk of a row, two reads ------------------------------------------------------------------

constexpr int kChunkThreads = 256;
constexpr int kChunkHeld = 16;
constexpr int kChunkCols = kChunkThreads * kChunkHeld;

// region split
/// A chunk of a row. d is the distance from the chunk's mean.
struct Part {
  float mean, squares;  // of x; sum of d^2
  float g, gd;          // sums of g and of g d
};

__device__ __forceinline__ int columns_of(int chunk, int cols) { return min(kChunkCols, cols - chunk * kChunkCols); }

__device__ __forceinline__ const float* weights_of(const Problem& p, int first) { return p.gamma != nullptr ? p.gamma + first : nullptr; }

/// Block row * chunks + c finds the part of chunk c.
template <int kWidth>
__global__ void __launch_bounds__(kChunkThreads) parts_of_chunks(Problem p, int chunks,
                                                                 Part* parts) {  // [rows, chunks]
  __shared__ Pair partials[kMaxWarps];
  const long long row = blockIdx.x / chunks;
  const int chunk = blockIdx.x % chunks;
  const int first = chunk * kChunkCols;
  const int cols = columns_of(chunk, p.cols);

  Share<kWidth, kChunkHeld> mine(weights_of(p, first), cols, threadIdx.x, kChunkThreads);
  const Pair means = block_sum(mine.read(p.x + row * p.x_stride + first, p.dy + row * p.dy_stride + first, cols), partials);
  const float mean = means.a / cols;
  const Pair squares = block_sum(mine.centre(mean, cols), partials);
  WATCH(mean);
  if (threadIdx.x == 0) parts[blockIdx.x] = {mean, squares.a, means.b, squares.b};
}

/// Block group * chunks + c walks down chunk c of the group's rows. Each row's sums come from its parts: what lies between the chunk's mean
/// and the row's is added to every d of the chunk.
template <int kWidth>
__global__ void __launch_bounds__(kChunkThreads) gradient_from_parts(Problem p, GroupSums sums, int chunks,
                                                                     const Part* __restrict__ parts) {  // [rows, chunks]
  __shared__ Pair partials[kMaxWarps];
  const int group = blockIdx.x / chunks;
  const int chunk = blockIdx.x % chunks;
  const int first = chunk * kChunkCols;
  const int cols = columns_of(chunk, p.cols);

  Share<kWidth, kChunkHeld> mine(weights_of(p, first), cols, threadIdx.x, kChunkThreads);
  for (long long row = group; row < p.rows; row += sums.groups) {
    const Part* of_row = parts + row * chunks;
    Pair means = {0.0f, 0.0f};
    for (int i = threadIdx.x; i < chunks; i += kChunkThreads) {
      means.a += columns_of(i, p.cols) * of_row[i].mean;
      means.b += of_row[i].g;
    }
    means = block_sum(means, partials);
    const float mean = means.a / p.cols;

    Pair squares = {0.0f, 0.0f};
    for (int i = threadIdx.x; i < chunks; i += kChunkThreads) {
      const float between = of_row[i].mean - mean;
      squares.a += of_row[i].squares + columns_of(i, p.cols) * between * between;
      squares.b += of_row[i].gd + of_row[i].g * between;
    }
    squares = block_sum(squares, partials);

    mine.read(p.x + row * p.x_stride + first, p.dy + row * p.dy_stride + first, cols);
    mine.centre(mean, cols);
    mine.finish(p.dx + row * p.dx_stride + first, cols, row_of(p, means, squares));
  }
  if (sums.memory != nullptr) mine.leave(sums.dgamma(group) + first, sums.dbeta(group) + first, cols);
}

template <int kWidth>
cudaError_t launch_split(const Problem& p, const GroupSums& sums, int chunks) {
  const long long blocks = static_cast<long long>(p.rows) * chunks;
  if (blocks > INT32_MAX) return cudaErrorInvalidValue;  // 2^43 columns, 35 terabytes
  Part* parts = nullptr;                                 // [rows, chunks]
  WARPBOOK_TRY(cudaMallocAsync(&parts, blocks * sizeof(Part), 0));
  parts_of_chunks<kWidth><<<static_cast<int>(blocks), kChunkThreads>>>(p, chunks, parts);
  cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) {
    gradient_from_parts<kWidth><<<sums.groups * chunks, kChunkThreads>>>(p, sums, chunks, parts);
    status = cudaGetLastError();
  }
  const cudaError_t freed = cudaFreeAsync(parts, 0);  // in stream order: after both kernels
  return status != cudaSuccess ? status : freed;
}
// endregion split

// ---- the sums of the groups ----------------------------------------------------------------------------------------------

constexpr int kSumRows = 8;

// region columns
/// Block (c, 0) adds up 32 columns of dgamma, block (c, 1) of dbeta: warp w takes groups w, w + 8, ... Without groups the sum is 0.
__global__ void __launch_bounds__(kSumRows* kWarpSize) sum_of_groups(GroupSums sums, int cols,
                                                                     float* dgamma,   // [cols] or null
                                                                     float* dbeta) {  // [cols] or null
  __shared__ float partials[kSumRows][kWarpSize];
  float* out = blockIdx.y == 0 ? dgamma : dbeta;
  if (out == nullptr) return;  // the whole block
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int col = blockIdx.x * kWarpSize + lane;

  float sum = 0.0f;
  for (int group = warp; group < sums.groups && col < cols; group += kSumRows) {
    sum += blockIdx.y == 0 ? sums.dgamma(group)[col] : sums.dbeta(group)[col];
  }
  partials[warp][lane] = sum;
  __syncthreads();
  if (warp != 0 || col >= cols) return;
  float total = 0.0f;
#pragma unroll
  for (int i = 0; i < kSumRows; ++i) total += partials[i][lane];
  out[col] = total;
}
// endregion columns

// ---- choice --------------------------------------------------------------------------------------------------------------

// region choice
/// Enough groups to give every multiprocessor so many threads; but each walks down two turns of rows at least, so that what it leaves is
/// at most a third of what it has read.
int groups_for(long long turns, int blocks_for_all) {
  const long long most = (turns - 1) / 2 + 1;
  return static_cast<int>(most < blocks_for_all ? most : blocks_for_all);
}

constexpr int kThreadsPerMultiprocessor = 512;

int groups_for(const Problem& p, int multiprocessors) {
  const int threads = multiprocessors * kThreadsPerMultiprocessor;
  if (p.cols <= kTileRowCols) {
    const int tiles = kTileThreads / lanes_for(p.cols);
    return groups_for((p.rows - 1) / tiles + 1, threads / kTileThreads);
  }
  if (p.cols <= kBlockRowCols) {
    const int blocks = threads / threads_for(p.cols);
    return groups_for(p.rows, blocks > multiprocessors ? blocks : multiprocessors);
  }
  return groups_for(p.rows, threads / kChunkThreads / ((p.cols - 1) / kChunkCols + 1) + 1);
}

template <int kWidth>
cudaError_t launch_rows(const Problem& p, const GroupSums& sums) {
  if (p.cols <= kTileRowCols) return launch_short<kWidth>(p, sums);
  if (p.cols <= kBlockRowCols) return launch_by_block<kWidth>(p, sums);
  return launch_split<kWidth>(p, sums, (p.cols - 1) / kChunkCols + 1);
}

bool on_16_bytes(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer) % 16 == 0; }  // null is

cudaError_t launch_all(const Problem& p, const GroupSums& sums, float* dgamma, float* dbeta) {
  const bool bases = on_16_bytes(p.x) && on_16_bytes(p.gamma) && on_16_bytes(p.dy) && on_16_bytes(p.dx);
  const bool strides = p.rows == 1 || (p.x_stride % 4 == 0 && p.dy_stride % 4 == 0 && p.dx_stride % 4 == 0);
  if (p.rows > 0) WARPBOOK_TRY(bases && strides ? launch_rows<4>(p, sums) : launch_rows<1>(p, sums));
  if (dgamma == nullptr && dbeta == nullptr) return cudaSuccess;
  sum_of_groups<<<dim3((p.cols - 1) / kWarpSize + 1, 2), kSumRows * kWarpSize>>>(sums, p.cols, dgamma, dbeta);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_layernorm_backward(const float* x,      // [rows, cols], row stride x_stride
                                      const float* gamma,  // [cols] or null
                                      const float* dy,     // [rows, cols], row stride dy_stride
                                      float* dx,           // [rows, cols], row stride dx_stride; may be dy
                                      float* dgamma,       // [cols] or null
                                      float* dbeta,        // [cols] or null
                                      int rows, int cols, long long x_stride, long long dy_stride, long long dx_stride, float eps) {
  const Problem p = {x, gamma, dy, dx, rows, cols, x_stride, dy_stride, dx_stride, eps};
  GroupSums sums = {nullptr, 0, (cols + 3) / 4 * 4};
  if (rows > 0) {
    int device = 0, multiprocessors = 0;
    WARPBOOK_TRY(cudaGetDevice(&device));
    WARPBOOK_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    sums.groups = groups_for(p, multiprocessors);
  }
  if (sums.groups == 0 || (dgamma == nullptr && dbeta == nullptr)) return launch_all(p, sums, dgamma, dbeta);

  const size_t bytes = sizeof(float) * 2 * sums.pitch * sums.groups;
  WARPBOOK_TRY(cudaMallocAsync(&sums.memory, bytes, 0));
  const cudaError_t status = launch_all(p, sums, dgamma, dbeta);
  const cudaError_t freed = cudaFreeAsync(sums.memory, 0);  // in stream order: after the last kernel
  return status != cudaSuccess ? status : freed;
}
// endregion choice
