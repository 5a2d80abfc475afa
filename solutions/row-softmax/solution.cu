// Softmax of rows of any length and any stride: y = exp(x - m) / sum(exp(x - m)), m the largest of the row.
//
// The idea: a row is read once and waits in registers until its maximum and its sum are known. How many registers that takes decides who
// works on it:
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
// Loads and stores have 16 bytes wherever x and y allow the same packs (packs.cuh), whatever the first column's address.
//
// Where registers do not hold a row's weights beside it, they are computed twice, for the sum and for the output: an exponential costs
// less.
//
// Contract: rows, cols >= 0; strides in elements, at least cols; x and y do not overlap; no alignment is assumed. -inf masks a
// column: its y is 0, and a row masked throughout is 0. A NaN or +inf makes the row NaN.
//
// Still bad: x and y whose rows begin differently to 16 bytes go element by element. Rows of more than 8192 columns stay below the copy
// (judge/gpu/README.md): the blocks of a row wait for the slowest of them. Before 9.0 a row of 16,385 to 57,000 floats is read twice where
// shared memory could hold it.
//
// Run it: ./workbook run row-softmax --solution
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/check.cuh"
#include "common/kernel/packs.cuh"
#include "common/kernel/reduce.cuh"
#include "common/kernel/teams.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::Block;
using warpbook::kernel::ConstRow;
using warpbook::kernel::Held;
using warpbook::kernel::kNoEdge;
using warpbook::kernel::kWarpSize;
using warpbook::kernel::launch_in_parts;
using warpbook::kernel::Max;
using warpbook::kernel::PackedRow;
using warpbook::kernel::Part;
using warpbook::kernel::parts_for;
using warpbook::kernel::Share;
using warpbook::kernel::StreamingKernel;
using warpbook::kernel::Sum;
using warpbook::kernel::threads_for;
using warpbook::kernel::Tile;
using warpbook::kernel::Values;
using warpbook::kernel::warp_reduce;
using warpbook::kernel::with_scratch;

/// Rows of a matrix that lie `stride` elements apart.
template <class T>
struct Rows {
  const T* x;  // [rows, cols], row stride x_stride
  T* y;        // [rows, cols], row stride y_stride
  int rows, cols;
  long long x_stride, y_stride;  // 64 bits: row * stride passes 2^31 long before memory ends

  template <class W>
  __device__ __forceinline__ ConstRow<W> logits(long long row) const {
    return {x + row * x_stride, cols};
  }
  template <class W>
  __device__ __forceinline__ PackedRow<W> probabilities(long long row) const {
    return {y + row * y_stride, cols};
  }
};

// ---- what a row goes through ---------------------------------------------------------------------------------------------

// region weight
/// What logits are shifted by: the row's maximum, or 0 in a row masked throughout, where -inf - (-inf) would be NaN.
__device__ __forceinline__ float shift_of(float row_max) { return row_max == -INFINITY ? 0.0f : row_max; }

/// What a logit weighs before the division; a masked one (-inf) weighs 0.
__device__ __forceinline__ float weight(float logit, float shift) { return __expf(logit - shift); }

/// 1 / total, or 0 for a row masked throughout. A NaN total stays NaN.
__device__ __forceinline__ float inverse_of(float total) { return total == 0.0f ? 0.0f : 1.0f / total; }
// endregion weight

// region held
template <class Columns>
__device__ __forceinline__ float largest_of(Columns& held) {
  float largest = Max::identity();
  held.each([&](float logit) { largest = fmaxf(largest, logit); });
  return largest;
}

/// Puts weights in the place of logits and returns their sum. Gaps hold -inf and weigh nothing.
template <class W, int kPacks>
__device__ __forceinline__ float weigh(Values<W, kPacks>& values, float shift) {
  float weights = Sum::identity();
  values.each([&](float& value) {
    value = weight(value, shift);
    weights += value;
  });
  return weights;
}

/// The sum alone: the logits stay, in the registers in which they were read.
template <class W, int kPacks>
__device__ __forceinline__ float weights_of(const Held<W, kPacks>& held, float shift) {
  float weights = Sum::identity();
  held.each([&](float logit) { weights += weight(logit, shift); });
  return weights;
}
// endregion held

// ---- short rows: a tile of lanes a row -----------------------------------------------------------------------------------

constexpr int kTileThreads = 128;

// region tile
/// A row a tile, 32 / kLanes tiles a warp.
template <class W, int kLanes, int kPacks>
__global__ void __launch_bounds__(kTileThreads) softmax_by_tile(Rows<typename W::T> m) {
  static_assert(kLanes >= W::kMostEdges, "one edge a lane");
  const Tile<kLanes> tile;
  const long long row = static_cast<long long>(blockIdx.x) * (kTileThreads / kLanes) + threadIdx.x / kLanes;
  const auto logits = m.template logits<W>(row);
  // A tile without a row holds gaps, but its lanes take part in the shuffles.
  const Share share = row < m.rows ? Share{tile.rank(), kLanes, logits.packs, tile.rank()} : Share{0, kLanes, 0, kNoEdge};

  Held<W, kPacks> held;
  held.read(logits, share, -INFINITY);
  Values<W, kPacks> values(held);
  const float row_max = tile.template reduce<Max>(largest_of(values));
  const float inverse = inverse_of(tile.template reduce<Sum>(weigh(values, shift_of(row_max))));
  WATCH(row_max);
  WATCH(inverse);
  values.write(m.template probabilities<W>(row), share, [&](float weight) { return weight * inverse; });
}
// endregion tile

template <class W, int kLanes, int kPacks, class T>
cudaError_t launch_by_tile(const Rows<T>& m) {
  constexpr int kRowsPerBlock = kTileThreads / kLanes;
  softmax_by_tile<W, kLanes, kPacks><<<(m.rows - 1) / kRowsPerBlock + 1, kTileThreads>>>(m);
  return cudaGetLastError();
}

template <class W>
constexpr int kTilePacks = W::kWidth == 8 ? 4 * kWarpSize : 8 * kWarpSize;  // 32 columns a lane

/// The smallest tile with the fewest packs a lane that holds so many packs. Not under 16 lanes: a row of bfloat16 may have 14 edges.
template <class W, class T>
cudaError_t launch_short(const Rows<T>& m, int packs) {
  if (packs <= 16) return launch_by_tile<W, 16, 1>(m);
  if (packs <= 32) return launch_by_tile<W, 32, 1>(m);
  if (packs <= 64) return launch_by_tile<W, 32, 2>(m);
  if (packs <= 128) return launch_by_tile<W, 32, 4>(m);
  return launch_by_tile<W, 32, kTilePacks<W> / kWarpSize>(m);
}

// ---- longer: a block a row -----------------------------------------------------------------------------------------------

constexpr int kMostThreads = 1024;
constexpr int kHeldPacks = 4;  // a thread: enough loads on their way, and registers for several blocks a multiprocessor
constexpr int kBlockPacks = kHeldPacks * kMostThreads;

// region block
template <class W>
__global__ void __launch_bounds__(kMostThreads) softmax_by_block(Rows<typename W::T> m) {
  __shared__ Block::Partials partials;
  Block block(partials);
  const auto logits = m.template logits<W>(blockIdx.x);
  const Share share = {block.rank(), block.size(), logits.packs, block.rank()};

  Held<W, kHeldPacks> held;
  held.read(logits, share, -INFINITY);
  Values<W, kHeldPacks> values(held);
  const float row_max = block.reduce<Max>(largest_of(values));
  const float inverse = inverse_of(block.reduce<Sum>(weigh(values, shift_of(row_max))));
  WATCH(row_max);
  WATCH(inverse);
  values.write(m.template probabilities<W>(blockIdx.x), share, [&](float weight) { return weight * inverse; });
}
// endregion block

// ---- longer still: several blocks a row ----------------------------------------------------------------------------------

// region online
/// Maximum and sum of weights of some logits.
struct Online {
  float max;
  float sum;  // of weight(logit, shift_of(max))
};

/// The merge of what 32 lanes know, in each of them: first the common maximum, then the sums as seen from it.
__device__ __forceinline__ Online merge(Online mine) {
  const float max = warp_reduce<Max>(mine.max);
  return {max, warp_reduce<Sum>(mine.sum * weight(mine.max, shift_of(max)))};
}
// endregion online

constexpr int kNarrowPacks = 4;  // a thread
template <class W>
constexpr int kNarrowThreads = 160 * 16 / W::kWidth;  // 640 of float, 320 of bfloat16: 163,840 columns in 16 blocks, and two blocks fit
template <class W>
constexpr int kWidePacks = 64 / W::kWidth;  // 64 columns a thread
constexpr int kWideThreads = 416;           // 106 KB of a row of float, twice: in shared memory and in registers

template <class W, int kPacks>
constexpr bool kIsWide = kPacks == kWidePacks<W>;

// region cluster
/// Block c of a cluster works on the c-th part of a row, then of another: later rows are on their way into shared memory while the blocks
/// of this one wait for each other.
template <class W, int kPacks, int kStages>
__global__ void __launch_bounds__(kIsWide<W, kPacks> ? kWideThreads : kNarrowThreads<W>, kIsWide<W, kPacks> ? 1 : 2)
    softmax_by_cluster(Rows<typename W::T> m, int capacity) {
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
  const auto order = [&](int index) {
    const long long row = first_row + static_cast<long long>(index) * clusters;
    if (threadIdx.x != 0 || row >= m.rows) return;
    const auto logits = m.template logits<W>(row);
    const Part part(rank, blocks, logits.packs);
    stream.order(index, {logits.first + logits.column(part.first)}, part.end - part.first);
  };
  for (int i = 0; i < kStages; ++i) order(i);
  exchange.wait_for_all();

  float edge = m.template logits<W>(first_row).load_edge(Part(rank, blocks, 1).edge(), -INFINITY);
  for (int i = 0, row = first_row; row < m.rows; ++i, row += clusters) {
    const auto logits = m.template logits<W>(row);
    const Part part(rank, blocks, logits.packs);
    const Share share = {part.first + block.rank(), block.size(), part.end, part.edge()};
    Held<W, kPacks> held;
    held.edge = edge;
    stream.wait(i);
    const auto* waiting = reinterpret_cast<const typename W::Columns*>(stream.row(i));
    held.fill(share, -INFINITY, [&](int pack) { return waiting[pack - part.first]; });
    if (row + clusters < m.rows) edge = m.template logits<W>(row + clusters).load_edge(part.edge(), -INFINITY);

    const float max = block.reduce<Max>(largest_of(held));  // its barrier: all have read the stage
    order(i + kStages);
    held.stay_packed();
    const float sum = block.reduce<Sum>(weights_of(held, shift_of(max)));
    held.stay_packed();
    const float2 theirs = exchange.all({max, sum}, {Max::identity(), Sum::identity()});
    const Online all = merge({theirs.x, theirs.y});
    WATCH(all.max);
    WATCH(all.sum);
    const float shift = shift_of(all.max), inverse = inverse_of(all.sum);
    held.write(m.template probabilities<W>(row), share, [&](float logit) { return weight(logit, shift) * inverse; });
  }
#endif
}
// endregion cluster

constexpr int kSplitThreads = 512;

// region split
/// Block (row, c) leaves maximum and sum of part c.
template <class W>
__global__ void __launch_bounds__(kSplitThreads) softmax_partials(Rows<typename W::T> m,
                                                                  Online* found) {  // [rows, parts]
  __shared__ Block::Partials partials;
  Block block(partials);
  const auto logits = m.template logits<W>(blockIdx.x);
  const Part part(blockIdx.y, gridDim.y, logits.packs);

  Online mine = {Max::identity(), Sum::identity()};
  Share share = {part.first + block.rank(), kSplitThreads, part.end, part.edge()};
  do {
    Held<W, kHeldPacks> held;
    held.read(logits, share, -INFINITY);
    const float max = fmaxf(mine.max, largest_of(held));
    mine = {max, mine.sum * weight(mine.max, shift_of(max)) + weights_of(held, shift_of(max))};
    share.first += kHeldPacks * kSplitThreads;
    share.edge = kNoEdge;
  } while (share.first < part.end);
  const float max = block.reduce<Max>(mine.max);
  const float sum = block.reduce<Sum>(mine.sum * weight(mine.max, shift_of(max)));
  WATCH(mine.max);
  WATCH(mine.sum);
  if (block.rank() == 0) found[static_cast<size_t>(blockIdx.x) * gridDim.y + blockIdx.y] = {max, sum};
}

/// Block (row, c) merges what the row's parts left, each warp for itself, and writes part c.
template <class W>
__global__ void __launch_bounds__(kSplitThreads) softmax_from_partials(Rows<typename W::T> m,
                                                                       const Online* found) {  // [rows, parts]
  const int lane = threadIdx.x % kWarpSize;
  const int parts = gridDim.y;
  const Online all = merge(lane < parts ? found[static_cast<size_t>(blockIdx.x) * parts + lane] : Online{Max::identity(), Sum::identity()});

  const float shift = shift_of(all.max), inverse = inverse_of(all.sum);
  const auto logits = m.template logits<W>(blockIdx.x);
  const auto probabilities = m.template probabilities<W>(blockIdx.x);
  const Part part(blockIdx.y, parts, logits.packs);
  Share share = {part.first + static_cast<int>(threadIdx.x), kSplitThreads, part.end, part.edge()};
  do {
    Held<W, kHeldPacks> held;
    held.read(logits, share, -INFINITY);
    held.write(probabilities, share, [&](float logit) { return weight(logit, shift) * inverse; });
    share.first += kHeldPacks * kSplitThreads;
    share.edge = kNoEdge;
  } while (share.first < part.end);
}

template <class W, class T>
cudaError_t launch_split(const Rows<T>& m, int multiprocessors) {
  const dim3 grid(m.rows, parts_for(m.rows, multiprocessors));
  return with_scratch<Online>(static_cast<size_t>(grid.x) * grid.y, [&](Online* found) {  // [rows, parts]
    softmax_partials<W><<<grid, kSplitThreads>>>(m, found);
    WARPBOOK_TRY(cudaGetLastError());
    softmax_from_partials<W><<<grid, kSplitThreads>>>(m, found);
    return cudaGetLastError();
  });
}
// endregion split

// region choice
template <class W, class T>
cudaError_t launch_by_length(const Rows<T>& m) {
  const int packs = m.cols / W::kWidth;  // at most
  if (packs <= kTilePacks<W>) return launch_short<W>(m, packs);

  int device = 0, multiprocessors = 0;
  WARPBOOK_TRY(cudaGetDevice(&device));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const bool fills_the_device = 2LL * m.rows > multiprocessors;
  const bool by_block = packs <= kBlockPacks / 2 && (fills_the_device || packs <= kBlockPacks / 8);
  if constexpr (W::kWidth > 1) {
    if (!by_block) {
      const StreamingKernel<Rows<T>> wide = {softmax_by_cluster<W, kWidePacks<W>, 1>, kWidePacks<W>, kWideThreads, 1};
      const StreamingKernel<Rows<T>> narrow = {softmax_by_cluster<W, kNarrowPacks, 2>, kNarrowPacks, kNarrowThreads<W>, 2};
      const cudaError_t status = launch_in_parts(m, m.rows, packs, wide, narrow, multiprocessors);
      if (status != cudaErrorInvalidClusterSize) return status;
    }
  }
  if (packs > kBlockPacks) return launch_split<W>(m, multiprocessors);
  softmax_by_block<W><<<m.rows, threads_for(packs, kHeldPacks)>>>(m);
  return cudaGetLastError();
}

template <class T>
cudaError_t launch(const Rows<T>& m) {
  if (m.rows == 0 || m.cols == 0) return cudaSuccess;  // a grid of no blocks is an error
  return warpbook::kernel::by_widest_way<T>(m.x, m.x_stride, m.y, m.y_stride, m.rows, m.cols,
                                            [&](auto way) { return launch_by_length<decltype(way)>(m); });
}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  return launch(Rows<float>{x, y, rows, cols, x_stride, y_stride});
}

/// The same on bfloat16, which the problem does not ask for: exponentials and sums in float, one rounding at the end.
cudaError_t launch_softmax_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int rows, int cols, long long x_stride, long long y_stride) {
  return launch(Rows<__nv_bfloat16>{x, y, rows, cols, x_stride, y_stride});
}
// endregion choice
