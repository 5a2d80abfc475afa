// LayerNorm of rows of any length and any stride: y = (x - mean) / sqrt(variance + eps) * gamma + beta.
//
// The idea: the distances from the mean are squared, never the values, so a row is gone over twice; and it is read once, because it waits
// in registers in between. How many registers that takes decides who works on it:
//
//   cols (float)      path                     what it costs, and when it wins                                    reads of x
//   up to 1024        16 or 32 lanes a row     shuffles alone; where rows are short, several a warp               1
//   up to 8192        a block a row            a barrier a reduction; four packs a thread leave room for several  1
//                                              blocks a multiprocessor, which hide each other's waiting
//   up to 163,840     1, 2 or 16 blocks a      an exchange between blocks, about a microsecond; later rows are    1
//                     row, in a cluster        on their way into shared memory meanwhile (from 9.0 on)
//   beyond, or        several blocks a row in  a second launch, and a second read                                 2
//   before 9.0        two kernels
//
// (Before compute capability 9.0 a block takes up to 16,384. Of bfloat16 the first two take twice as many.)
//
// What blocks of a row found is put together as in lesson 08: each knows the mean and the squared distances of its own columns, exact to
// rounding; the row's mean is that of the means, weighted, and every block's squares grow by what its mean lies away from it.
//
// Loads and stores have 16 bytes wherever x and y allow the same packs (packs.cuh), whatever the first column's address.
//
// Contract: rows >= 0, 1 <= cols < 2^31 - 65536; strides in elements, at least cols; gamma and beta may be null (1 and 0); y may be x,
// with the same stride, otherwise nothing overlaps; no alignment is assumed. Population variance, eps > 0. A NaN makes its row NaN.
//
// Still bad: x and y whose rows begin differently to 16 bytes go element by element, and so do gamma and beta beside a row that begins
// differently from them. They come from cache for every row: for rows of more than 8192 columns that is as much again as the row, from the
// second cache (judge/gpu/README.md). Keeping them in shared memory would want several rows a turn.
//
// Run it: ./workbook run layernorm-forward --solution
#include <cuda_runtime.h>

#include "common/kernel/check.cuh"
#include "common/kernel/packs.cuh"
#include "common/kernel/reduce.cuh"
#include "common/kernel/teams.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::Block;
using warpbook::kernel::ConstRow;
using warpbook::kernel::fetch;
using warpbook::kernel::Held;
using warpbook::kernel::kNoEdge;
using warpbook::kernel::kWarpSize;
using warpbook::kernel::launch_in_parts;
using warpbook::kernel::Pack;
using warpbook::kernel::PackedRow;
using warpbook::kernel::Share;
using warpbook::kernel::StreamingKernel;
using warpbook::kernel::Sum;
using warpbook::kernel::threads_for;
using warpbook::kernel::Tile;
using warpbook::kernel::warp_reduce;
using warpbook::kernel::Weights;
using warpbook::kernel::with_scratch;

template <class T>
struct Problem {
  const T* x;      // [rows, cols], row stride x_stride
  const T* gamma;  // [cols], or null: 1
  const T* beta;   // [cols], or null: 0
  T* y;            // [rows, cols], row stride y_stride; may be x, hence no __restrict__ on these two
  int rows, cols;
  long long x_stride, y_stride;  // 64 bits: row * stride passes 2^31 long before memory ends
  float eps;

  template <class W>
  __device__ __forceinline__ ConstRow<W> x_row(long long row) const {
    return {x + row * x_stride, cols};
  }
  template <class W>
  __device__ __forceinline__ PackedRow<W> y_row(long long row) const {
    return {y + row * y_stride, cols};
  }
};

// ---- what a row goes through ---------------------------------------------------------------------------------------------

// region held
template <class Columns>
__device__ __forceinline__ float sum_of(const Columns& held) {  // gaps are 0
  float sum = 0.0f;
  held.each([&](float value) { sum += value; });
  return sum;
}

/// Squared distances from the mean, of the columns that the row has: a gap of 0 would count with the square of the mean.
template <class Columns, class Row>
__device__ __forceinline__ float squares_of(const Columns& held, const Row& row, Share share, float mean) {
  float squares = 0.0f;
  held.each_of(row, share, [&](float value) { squares += (value - mean) * (value - mean); });
  return squares;
}

/// What makes y of a row.
struct Normal {
  float mean, scale;
  __device__ __forceinline__ float operator()(float value, float gamma, float beta) const { return (value - mean) * scale * gamma + beta; }
};

template <class Columns>
__device__ __forceinline__ Columns normalised(const Columns& held, const Columns& gamma, const Columns& beta, Normal normal) {
  float out[Columns::kWidth];
#pragma unroll
  for (int k = 0; k < Columns::kWidth; ++k) out[k] = normal(held[k], gamma[k], beta[k]);
  return Columns::rounded(out);
}

/// With gamma and beta of the share, which were fetched together with the row and are there when its moments are.
template <class W, int kPacks, class Row>
__device__ __forceinline__ void write(const Held<W, kPacks>& held, const Weights<W, kPacks>& gamma, const Weights<W, kPacks>& beta,
                                      const Row& row, Share share, Normal normal) {
  share.template each_pack<kPacks>([&](int i, int at) { row.store(at, normalised(held.pack[i], gamma.pack[i], beta.pack[i], normal)); });
  if constexpr (W::kEdges) row.store_edge(share.edge, normal(held.edge, gamma.edge, beta.edge));
}

/// With gamma and beta fetched a pack at a time, where registers do not hold all.
template <class W, int kPacks, class Row>
__device__ __forceinline__ void write_fetching(const Held<W, kPacks>& held, const Problem<typename W::T>& p, const Row& row, Share share,
                                               Normal normal) {
  using Columns = typename W::Columns;
  share.template each_pack<kPacks>([&](int i, int at) {
    const Columns gamma = fetch<Columns>(p.gamma, row.column(at), 1.0f), beta = fetch<Columns>(p.beta, row.column(at), 0.0f);
    row.store(at, normalised(held.pack[i], gamma, beta, normal));
  });
  if constexpr (W::kEdges) {
    if (share.edge >= row.edges()) return;
    using One = Pack<typename W::T, 1>;
    const int col = row.edge_column(share.edge);
    row.store_edge(share.edge, normal(held.edge, fetch<One>(p.gamma, col, 1.0f)[0], fetch<One>(p.beta, col, 0.0f)[0]));
  }
}
// endregion held

// ---- short rows: a tile of lanes a row -----------------------------------------------------------------------------------

constexpr int kTileThreads = 128;

// region tile
/// A row a tile, 32 / kLanes tiles a warp.
template <class W, int kLanes, int kPacks>
__global__ void __launch_bounds__(kTileThreads) layernorm_by_tile(Problem<typename W::T> p) {
  static_assert(kLanes >= W::kMostEdges, "one edge a lane");
  const Tile<kLanes> tile;
  const long long index = static_cast<long long>(blockIdx.x) * (kTileThreads / kLanes) + threadIdx.x / kLanes;
  const auto row = p.template x_row<W>(index);
  // A tile without a row holds nothing, but its lanes take part in the shuffles.
  const Share share = index < p.rows ? Share{tile.rank(), kLanes, row.packs, tile.rank()} : Share{0, kLanes, 0, kNoEdge};

  Held<W, kPacks> held;
  Weights<W, kPacks> gamma, beta;
  held.read(row, share, 0.0f);
  gamma.read(p.gamma, 1.0f, row, share);
  beta.read(p.beta, 0.0f, row, share);
  const float mean = tile.template reduce<Sum>(sum_of(held)) / p.cols;
  const float variance = tile.template reduce<Sum>(squares_of(held, row, share, mean)) / p.cols;
  const float scale = rsqrtf(variance + p.eps);
  WATCH(mean);
  WATCH(scale);
  write(held, gamma, beta, p.template y_row<W>(index), share, {mean, scale});
}
// endregion tile

template <class W, int kLanes, int kPacks, class T>
cudaError_t launch_by_tile(const Problem<T>& p) {
  constexpr int kRowsPerBlock = kTileThreads / kLanes;
  layernorm_by_tile<W, kLanes, kPacks><<<(p.rows - 1) / kRowsPerBlock + 1, kTileThreads>>>(p);
  return cudaGetLastError();
}

template <class W>
constexpr int kTilePacks = W::kWidth == 8 ? 4 * kWarpSize : 8 * kWarpSize;  // 32 columns a lane

/// The smallest tile with the fewest packs a lane that holds so many packs. Not under 16 lanes: a row of bfloat16 may have 14 edges.
template <class W, class T>
cudaError_t launch_short(const Problem<T>& p, int packs) {
  if (packs <= 16) return launch_by_tile<W, 16, 1>(p);
  if (packs <= 32) return launch_by_tile<W, 32, 1>(p);
  if (packs <= 64) return launch_by_tile<W, 32, 2>(p);
  if (packs <= 128) return launch_by_tile<W, 32, 4>(p);
  return launch_by_tile<W, 32, kTilePacks<W> / kWarpSize>(p);
}

// ---- longer: a block a row -----------------------------------------------------------------------------------------------

constexpr int kMostThreads = 1024;
constexpr int kHeldPacks = 4;  // a thread: enough loads on their way, and registers for several blocks a multiprocessor
constexpr int kBlockPacks = kHeldPacks * kMostThreads;

// region block
template <class W>
__global__ void __launch_bounds__(kMostThreads) layernorm_by_block(Problem<typename W::T> p) {
  __shared__ Block::Partials partials;
  Block block(partials);
  const auto row = p.template x_row<W>(blockIdx.x);
  const Share share = {block.rank(), block.size(), row.packs, block.rank()};

  Held<W, kHeldPacks> held;
  Weights<W, kHeldPacks> gamma, beta;
  held.read(row, share, 0.0f);
  gamma.read(p.gamma, 1.0f, row, share);
  beta.read(p.beta, 0.0f, row, share);
  const float mean = block.reduce<Sum>(sum_of(held)) / p.cols;
  const float variance = block.reduce<Sum>(squares_of(held, row, share, mean)) / p.cols;
  const float scale = rsqrtf(variance + p.eps);
  WATCH(mean);
  WATCH(scale);
  write(held, gamma, beta, p.template y_row<W>(blockIdx.x), share, {mean, scale});
}
// endregion block

// ---- longer still: several blocks a row ----------------------------------------------------------------------------------

// region parts
/// Part `index` of a row that is cut every `length` packs; it may be empty. The edges go with the first.
struct Part {
  int index, first, end;  // packs
  float count;            // columns

  template <class Row>
  __device__ __forceinline__ Part(const Row& row, int part, int length) : index(part) {
    first = min(row.packs, index * length);
    end = min(row.packs, first + length);
    count = static_cast<float>((end - first) * Row::kWidth + (index == 0 ? row.edges() : 0));
  }
  __device__ __forceinline__ int edge() const { return index == 0 ? static_cast<int>(threadIdx.x) : kNoEdge; }
  __device__ __forceinline__ Share share() const {
    return {first + static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), end, edge()};
  }
};

/// A part of a row, told by two numbers.
struct Moments {
  float mean;
  float squares;  // squared distances from that mean, summed
};
// endregion parts

constexpr int kNarrowPacks = 4;  // a thread
template <class W>
constexpr int kNarrowThreads = 160 * 16 / W::kWidth;  // 640 of float, 320 of bfloat16: 163,840 columns in 16 blocks, and two blocks fit
constexpr int kWidePacks = 16, kWideThreads = 416;    // 106 KB of a row, twice: in shared memory and in registers

template <class W, int kPacks>
constexpr bool kIsWide = kPacks == kWidePacks;

// region cluster
/// Block c of a cluster works on the c-th part of a row, then of another: later rows are on their way into shared memory while the blocks
/// of this one wait for each other. gamma and beta are found in the first cache from the second row on.
template <class W, int kPacks, int kStages>
__global__ void __launch_bounds__(kIsWide<W, kPacks> ? kWideThreads : kNarrowThreads<W>, kIsWide<W, kPacks> ? 1 : 2)
    layernorm_by_cluster(Problem<typename W::T> p, int capacity) {
#ifdef WARPBOOK_HAS_CLUSTERS
  using Stream = warpbook::kernel::RowStream<kStages, 1>;
  extern __shared__ uint4 staged[];  // [kStages, capacity]
  __shared__ Block::Partials partials;
  __shared__ warpbook::kernel::Exchange::Storage found;
  __shared__ typename Stream::Storage filled;
  const Stream stream(filled, staged, capacity);
  warpbook::kernel::Exchange exchange(found);
  Block block(partials);
  const int rank = warpbook::kernel::cluster_rank();
  const int blocks = warpbook::kernel::cluster_size();
  const int clusters = gridDim.x / blocks;
  const int first_row = blockIdx.x / blocks;
  const int lane = threadIdx.x % kWarpSize;
  const auto part_of = [&](const ConstRow<W>& row, int part) { return Part(row, part, (row.packs - 1) / blocks + 1); };
  const auto order = [&](int i) {
    const long long index = first_row + static_cast<long long>(i) * clusters;
    if (threadIdx.x != 0 || index >= p.rows) return;
    const auto row = p.template x_row<W>(index);
    const Part part = part_of(row, rank);
    stream.order(i, {row.first + row.column(part.first)}, part.end - part.first);
  };
  for (int i = 0; i < kStages; ++i) order(i);
  exchange.wait_for_all();

  const auto first = p.template x_row<W>(first_row);
  float edge = first.load_edge(part_of(first, rank).edge(), 0.0f);
  for (int i = 0, index = first_row; index < p.rows; ++i, index += clusters) {
    const auto row = p.template x_row<W>(index);
    const Part part = part_of(row, rank);
    const Share share = part.share();
    Held<W, kPacks> held;
    held.edge = edge;
    stream.wait(i);
    const auto* waiting = reinterpret_cast<const typename W::Columns*>(stream.row(i));
    held.fill(share, 0.0f, [&](int pack) { return waiting[pack - part.first]; });
    if (index + clusters < p.rows) edge = p.template x_row<W>(index + clusters).load_edge(part.edge(), 0.0f);

    const float mean = block.reduce<Sum>(sum_of(held)) / fmaxf(part.count, 1.0f);  // its barrier: all have read the stage
    order(i + kStages);
    const float squares = block.reduce<Sum>(squares_of(held, row, share, mean));
    const float2 theirs = exchange.all({mean, squares}, {0.0f, 0.0f});
    const float count = lane < blocks ? part_of(row, lane).count : 0.0f;
    const float row_mean = warp_reduce<Sum>(count * theirs.x) / p.cols;
    const float away = theirs.x - row_mean;
    const float scale = rsqrtf(warp_reduce<Sum>(theirs.y + count * away * away) / p.cols + p.eps);
    WATCH(row_mean);
    WATCH(scale);
    write_fetching(held, p, p.template y_row<W>(index), share, {row_mean, scale});
  }
#endif
}
// endregion cluster

// region split
constexpr int kSplitThreads = 512;
constexpr int kSplitHeld = 4;
constexpr int kChunkPacks = kSplitHeld * kSplitThreads;

/// Block row * chunks + c leaves the moments of chunk c, which is what registers hold.
template <class W>
__global__ void __launch_bounds__(kSplitThreads) moments_of_chunks(Problem<typename W::T> p, int chunks,
                                                                   Moments* found) {  // [rows, chunks]
  __shared__ Block::Partials partials;
  Block block(partials);
  const auto row = p.template x_row<W>(blockIdx.x / chunks);
  const Part part(row, blockIdx.x % chunks, kChunkPacks);

  Held<W, kSplitHeld> held;
  held.read(row, part.share(), 0.0f);
  const float mean = block.reduce<Sum>(sum_of(held)) / fmaxf(part.count, 1.0f);  // the last chunk may be empty
  const float squares = block.reduce<Sum>(squares_of(held, row, part.share(), mean));
  WATCH(mean);
  WATCH(squares);
  if (threadIdx.x == 0) found[blockIdx.x] = {mean, squares};
}

/// Block row * chunks + c finds the row's moments from those of its chunks and writes chunk c.
template <class W>
__global__ void __launch_bounds__(kSplitThreads) layernorm_from_moments(Problem<typename W::T> p, int chunks,
                                                                        const Moments* __restrict__ found) {  // [rows, chunks]
  __shared__ Block::Partials partials;
  Block block(partials);
  const int index = blockIdx.x / chunks;
  const Moments* of_row = found + static_cast<long long>(index) * chunks;
  const auto row = p.template x_row<W>(index);

  float sum = 0.0f;  // the first and the last chunk have other counts
  for (int i = threadIdx.x; i < chunks; i += kSplitThreads) sum += Part(row, i, kChunkPacks).count * of_row[i].mean;
  const float mean = block.reduce<Sum>(sum) / p.cols;

  float squares = 0.0f;  // within the chunks, and of the chunks' means from the row's
  for (int i = threadIdx.x; i < chunks; i += kSplitThreads) {
    const float away = of_row[i].mean - mean;
    squares += of_row[i].squares + Part(row, i, kChunkPacks).count * away * away;
  }
  const float scale = rsqrtf(block.reduce<Sum>(squares) / p.cols + p.eps);
  WATCH(mean);
  WATCH(scale);

  const Share share = Part(row, blockIdx.x % chunks, kChunkPacks).share();
  Held<W, kSplitHeld> held;
  Weights<W, kSplitHeld> gamma, beta;
  held.read(row, share, 0.0f);
  gamma.read(p.gamma, 1.0f, row, share);
  beta.read(p.beta, 0.0f, row, share);
  write(held, gamma, beta, p.template y_row<W>(index), share, {mean, scale});
}

template <class W, class T>
cudaError_t launch_split(const Problem<T>& p, int packs) {
  const int chunks = (packs - 1) / kChunkPacks + 1;
  const long long blocks = static_cast<long long>(p.rows) * chunks;
  if (blocks > INT32_MAX) return cudaErrorInvalidValue;  // 2^43 columns, 35 terabytes
  const auto grid = static_cast<unsigned>(blocks);
  return with_scratch<Moments>(grid, [&](Moments* found) {  // [rows, chunks]
    moments_of_chunks<W><<<grid, kSplitThreads>>>(p, chunks, found);
    WARPBOOK_TRY(cudaGetLastError());
    layernorm_from_moments<W><<<grid, kSplitThreads>>>(p, chunks, found);
    return cudaGetLastError();
  });
}
// endregion split

// region choice
template <class W, class T>
cudaError_t launch_by_length(const Problem<T>& p) {
  const int packs = p.cols / W::kWidth;  // at most
  if (packs <= kTilePacks<W>) return launch_short<W>(p, packs);

  int device = 0, multiprocessors = 0;
  WARPBOOK_TRY(cudaGetDevice(&device));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const bool fills_the_device = 2LL * p.rows > multiprocessors;
  const bool by_block = packs <= kBlockPacks / 2 && (fills_the_device || packs <= kBlockPacks / 8);
  if constexpr (W::kWidth > 1) {
    if (!by_block) {
      const StreamingKernel<Problem<T>> wide = {layernorm_by_cluster<W, kWidePacks, 1>, kWidePacks, kWideThreads, 1};
      const StreamingKernel<Problem<T>> narrow = {layernorm_by_cluster<W, kNarrowPacks, 2>, kNarrowPacks, kNarrowThreads<W>, 2};
      const cudaError_t status = launch_in_parts(p, p.rows, packs, wide, narrow, multiprocessors);
      if (status != cudaErrorInvalidClusterSize) return status;
    }
  }
  if (packs > kBlockPacks) return launch_split<W>(p, packs);
  layernorm_by_block<W><<<p.rows, threads_for(packs, kHeldPacks)>>>(p);
  return cudaGetLastError();
}

template <class T>
cudaError_t launch(const Problem<T>& p) {
  if (p.rows == 0) return cudaSuccess;  // a grid of no blocks is an error
  return warpbook::kernel::by_widest_way<T>(p.x, p.x_stride, p.y, p.y_stride, p.rows, p.cols,
                                            [&](auto way) { return launch_by_length<decltype(way)>(p); });
}

}  // namespace

cudaError_t launch_layernorm(const float* x,      // [rows, cols], row stride x_stride
                             const float* gamma,  // [cols] or null
                             const float* beta,   // [cols] or null
                             float* y,            // [rows, cols], row stride y_stride; may be x
                             int rows, int cols, long long x_stride, long long y_stride, float eps) {
  return launch(Problem<float>{x, gamma, beta, y, rows, cols, x_stride, y_stride, eps});
}

/// The same on bfloat16, which the problem does not ask for: statistics in float, one rounding at the end.
cudaError_t launch_layernorm_bf16(const __nv_bfloat16* x, const __nv_bfloat16* gamma, const __nv_bfloat16* beta, __nv_bfloat16* y, int rows,
                                  int cols, long long x_stride, long long y_stride, float eps) {
  return launch(Problem<__nv_bfloat16>{x, gamma, beta, y, rows, cols, x_stride, y_stride, eps});
}
// endregion choice
