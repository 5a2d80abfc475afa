// Residual add and RMSNorm in place, float and bfloat16: residual += hidden, then hidden = residual / sqrt(mean(residual^2) + eps) *
// weight, from the residual as it is stored.
//
// The idea: four passes are the least (both tensors in, both out), and they suffice where the new residual of a row stays in registers
// between the two. What is kept is what is stored: a bfloat16 sum waits in 16 bits, half a register, and statistics and output
// cannot help being those of the rounded sum. How many registers a row takes decides who works on it:
//
//   cols (float)      path                     what it costs, and when it wins                                    reads of residual
//   up to 512         16 or 32 lanes a row     shuffles alone; where rows are short, several a warp               1
//   up to 8192        a block a row            a barrier a reduction; four packs a thread leave room for several  1
//                                              blocks a multiprocessor, which hide each other's waiting
//   up to 163,840     1, 2 or 16 blocks a      an exchange between blocks, about a microsecond; later rows are    1
//                     row, in a cluster        on their way into shared memory meanwhile (from 9.0 on)
//   beyond, or        several blocks a row in  a second launch, and a second read                                 2
//   before 9.0        two kernels
//
// (Before compute capability 9.0 a block takes up to 16,384. Of bfloat16 the first two take twice as many.)
//
// Loads and stores have 16 bytes wherever hidden and residual allow the same packs (packs.cuh), whatever the first column's address.
//
// Contract: rows >= 0, cols >= 1; hidden and residual of a type are both given or both null, weight may be null and means 1; strides in
// elements, at least cols; the tensors do not overlap; no alignment is assumed. A row with a NaN is NaN in hidden.
//
// Still bad: tensors whose rows begin differently to 16 bytes go element by element, and so does the weight beside a row that begins
// differently from it; it is read again for every row. Rows of more than 8192 columns stay below the copy (judge/gpu/README.md).
//
// Run it: ./workbook run fused-add-rmsnorm --solution
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "common/kernel/check.cuh"
#include "common/kernel/packs.cuh"
#include "common/kernel/reduce.cuh"
#include "common/kernel/teams.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::Block;
using warpbook::kernel::fetch;
using warpbook::kernel::Held;
using warpbook::kernel::kNoEdge;
using warpbook::kernel::kWarpSize;
using warpbook::kernel::launch_in_parts;
using warpbook::kernel::Pack;
using warpbook::kernel::PackedRow;
using warpbook::kernel::Part;
using warpbook::kernel::parts_for;
using warpbook::kernel::Share;
using warpbook::kernel::StreamingKernel;
using warpbook::kernel::Sum;
using warpbook::kernel::threads_for;
using warpbook::kernel::Tile;
using warpbook::kernel::warp_reduce;
using warpbook::kernel::Weights;
using warpbook::kernel::with_scratch;

/// The tensors of one element type.
template <class Element>
struct Tensors {
  using T = Element;
  T* hidden;        // [rows, cols], row stride hidden_stride; becomes the normalised row
  T* residual;      // [rows, cols], row stride residual_stride; becomes the sum
  const T* weight;  // [cols] or null, which means 1
  int rows, cols;
  float eps;
  long long hidden_stride, residual_stride;  // 64 bits: row * stride passes 2^31 long before memory ends

  template <class W>
  __device__ __forceinline__ PackedRow<W> hidden_row(long long row) const {
    return {hidden + row * hidden_stride, cols};
  }
  template <class W>
  __device__ __forceinline__ PackedRow<W> residual_row(long long row) const {
    return {residual + row * residual_stride, cols};
  }
  __device__ __forceinline__ float scale_of(float squares) const { return rsqrtf(squares / cols + eps); }
};

// ---- what a row goes through ---------------------------------------------------------------------------------------------

// region held
/// The new residual of some columns, as it is stored, and its squares in `squares`. In bfloat16 the float in between does no harm: it has
/// more than 2 * 8 + 2 bits, so that rounding twice gives what rounding once gives.
template <class Columns>
__device__ __forceinline__ Columns sum_of(const Columns& residual, const Columns& hidden, float& squares) {
  float values[Columns::kWidth];
#pragma unroll
  for (int k = 0; k < Columns::kWidth; ++k) values[k] = residual[k] + hidden[k];
  const Columns sum = Columns::rounded(values);
#pragma unroll
  for (int k = 0; k < Columns::kWidth; ++k) squares += sum[k] * sum[k];
  return sum;
}

template <class T>
__device__ __forceinline__ float edge_sum_of(float residual, float hidden, float& squares) {
  return sum_of(Pack<T, 1>::rounded({residual}), Pack<T, 1>::rounded({hidden}), squares)[0];
}

/// Makes the new residual of the old one and of hidden, stores it, keeps it, and returns its squares. Gaps are 0, and so are their squares.
template <class W, int kPacks, class Row>
__device__ __forceinline__ float add(Held<W, kPacks>& sum, const Held<W, kPacks>& hidden, const Row& residual, Share share) {
  float squares = Sum::identity();
  share.template each_pack<kPacks>([&](int i, int at) {
    sum.pack[i] = sum_of(sum.pack[i], hidden.pack[i], squares);
    residual.store(at, sum.pack[i]);
  });
  if constexpr (W::kEdges) {
    sum.edge = edge_sum_of<typename W::T>(sum.edge, hidden.edge, squares);
    residual.store_edge(share.edge, sum.edge);
  }
  return squares;
}

/// One product in float, rounded once.
template <class Columns>
__device__ __forceinline__ Columns normalised(const Columns& sum, const Columns& weight, float scale) {
  float out[Columns::kWidth];
#pragma unroll
  for (int k = 0; k < Columns::kWidth; ++k) out[k] = sum[k] * scale * weight[k];
  return Columns::rounded(out);
}

/// With the weight of the share, which was fetched together with the row and is there when its scale is.
template <class W, int kPacks, class Row>
__device__ __forceinline__ void write(const Held<W, kPacks>& sum, const Weights<W, kPacks>& weight, const Row& hidden, Share share,
                                      float scale) {
  share.template each_pack<kPacks>([&](int i, int at) { hidden.store(at, normalised(sum.pack[i], weight.pack[i], scale)); });
  if constexpr (W::kEdges) hidden.store_edge(share.edge, sum.edge * scale * weight.edge);
}

/// With the weight fetched a pack at a time, where registers do not hold all.
template <class W, int kPacks, class Row>
__device__ __forceinline__ void write_fetching(const Held<W, kPacks>& sum, const typename W::T* weight, const Row& hidden, Share share,
                                               float scale) {
  share.template each_pack<kPacks>([&](int i, int at) {
    hidden.store(at, normalised(sum.pack[i], fetch<typename W::Columns>(weight, hidden.column(at), 1.0f), scale));
  });
  if constexpr (W::kEdges) {
    if (share.edge >= hidden.edges()) return;
    hidden.store_edge(share.edge, sum.edge * scale * fetch<Pack<typename W::T, 1>>(weight, hidden.edge_column(share.edge), 1.0f)[0]);
  }
}
// endregion held

// ---- short rows: a tile of lanes a row -----------------------------------------------------------------------------------

constexpr int kTileThreads = 128;

// region tile
/// A row a tile, 32 / kLanes tiles a warp. Each element is read and written by one thread only, which reads first: in place needs no care.
template <class W, int kLanes, int kPacks>
__global__ void __launch_bounds__(kTileThreads) fused_by_tile(Tensors<typename W::T> t) {
  static_assert(kLanes >= W::kMostEdges, "one edge a lane");
  const Tile<kLanes> tile;
  const long long row = static_cast<long long>(blockIdx.x) * (kTileThreads / kLanes) + threadIdx.x / kLanes;
  const auto hidden = t.template hidden_row<W>(row);
  const auto residual = t.template residual_row<W>(row);
  // A tile without a row holds nothing, but its lanes take part in the shuffles.
  const Share share = row < t.rows ? Share{tile.rank(), kLanes, hidden.packs, tile.rank()} : Share{0, kLanes, 0, kNoEdge};

  Held<W, kPacks> sum, added;
  Weights<W, kPacks> weight;
  sum.read(residual, share, 0.0f);
  added.read(hidden, share, 0.0f);
  weight.read(t.weight, 1.0f, hidden, share);
  const float scale = t.scale_of(tile.template reduce<Sum>(add(sum, added, residual, share)));
  WATCH(scale);
  write(sum, weight, hidden, share, scale);
}
// endregion tile

template <class W, int kLanes, int kPacks, class T>
cudaError_t launch_by_tile(const Tensors<T>& t) {
  constexpr int kRowsPerBlock = kTileThreads / kLanes;
  fused_by_tile<W, kLanes, kPacks><<<(t.rows - 1) / kRowsPerBlock + 1, kTileThreads>>>(t);
  return cudaGetLastError();
}

constexpr int kTilePacks = 4 * kWarpSize;

/// The smallest tile with the fewest packs a lane that holds so many packs. Not under 16 lanes: a row of bfloat16 may have 14 edges.
template <class W, class T>
cudaError_t launch_short(const Tensors<T>& t, int packs) {
  if (packs <= 16) return launch_by_tile<W, 16, 1>(t);
  if (packs <= 32) return launch_by_tile<W, 32, 1>(t);
  if (packs <= 64) return launch_by_tile<W, 32, 2>(t);
  return launch_by_tile<W, 32, 4>(t);
}

// ---- longer: a block a row -----------------------------------------------------------------------------------------------

constexpr int kMostThreads = 1024;
constexpr int kHeldPacks = 4;  // a thread, of each tensor: enough loads on their way, and registers for several blocks a multiprocessor
constexpr int kBlockPacks = kHeldPacks * kMostThreads;

// region block
template <class W>
__global__ void __launch_bounds__(kMostThreads) fused_by_block(Tensors<typename W::T> t) {
  __shared__ Block::Partials partials;
  Block block(partials);
  const auto hidden = t.template hidden_row<W>(blockIdx.x);
  const auto residual = t.template residual_row<W>(blockIdx.x);
  const Share share = {block.rank(), block.size(), hidden.packs, block.rank()};

  Held<W, kHeldPacks> sum, added;
  sum.read(residual, share, 0.0f);
  added.read(hidden, share, 0.0f);
  const float squares = add(sum, added, residual, share);
  Weights<W, kHeldPacks> weight;  // in the registers that `added` needs no more
  weight.read(t.weight, 1.0f, hidden, share);
  const float scale = t.scale_of(block.reduce<Sum>(squares));
  WATCH(scale);
  write(sum, weight, hidden, share, scale);
}
// endregion block

// ---- longer still: several blocks a row ----------------------------------------------------------------------------------

constexpr int kNarrowPacks = 4;  // a thread
template <class W>
constexpr int kNarrowThreads = 160 * 16 / W::kWidth;  // 640 of float, 320 of bfloat16: 163,840 columns in 16 blocks, and two blocks fit
constexpr int kWidePacks = 8, kWideThreads = 416;     // 53 KB of each tensor in shared memory, 53 KB in registers

template <class W, int kPacks>
constexpr bool kIsWide = kPacks == kWidePacks;

// region cluster
/// Block c of a cluster works on the c-th part of a row, then of another: later rows are on their way into shared memory while the blocks
/// of this one wait for each other. The weight is found in the first cache from the second row on.
template <class W, int kPacks, int kStages>
__global__ void __launch_bounds__(kIsWide<W, kPacks> ? kWideThreads : kNarrowThreads<W>, kIsWide<W, kPacks> ? 1 : 2)
    fused_by_cluster(Tensors<typename W::T> t, int capacity) {
#ifdef WARPBOOK_HAS_CLUSTERS
  using Stream = warpbook::kernel::RowStream<kStages, 2>;
  extern __shared__ uint4 staged[];  // [kStages, 2, capacity]
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
  const auto order = [&](int i) {
    const long long row = first_row + static_cast<long long>(i) * clusters;
    if (threadIdx.x != 0 || row >= t.rows) return;
    const auto residual = t.template residual_row<W>(row);
    const auto hidden = t.template hidden_row<W>(row);
    const Part part(rank, blocks, hidden.packs);
    const int col = hidden.column(part.first);
    stream.order(i, {residual.first + col, hidden.first + col}, part.end - part.first);
  };
  for (int i = 0; i < kStages; ++i) order(i);
  exchange.wait_for_all();

  const int edge = Part(rank, blocks, 1).edge();
  float residual_edge = t.template residual_row<W>(first_row).load_edge(edge, 0.0f);
  float hidden_edge = t.template hidden_row<W>(first_row).load_edge(edge, 0.0f);
  for (int i = 0, row = first_row; row < t.rows; ++i, row += clusters) {
    const auto hidden = t.template hidden_row<W>(row);
    const auto residual = t.template residual_row<W>(row);
    const Share share = Part(rank, blocks, hidden.packs).share();
    const int first_pack = share.first - static_cast<int>(threadIdx.x);
    stream.wait(i);
    const auto* residuals = reinterpret_cast<const typename W::Columns*>(stream.row(i, 0));
    const auto* hiddens = reinterpret_cast<const typename W::Columns*>(stream.row(i, 1));
    Held<W, kPacks> sum;
    float squares = Sum::identity();
    share.template each_pack<kPacks>([&](int k, int at) {  // a pack of hidden at a time: registers do not hold all
      sum.pack[k] = sum_of(residuals[at - first_pack], hiddens[at - first_pack], squares);
      residual.store(at, sum.pack[k]);
    });
    if constexpr (W::kEdges) {
      sum.edge = edge_sum_of<typename W::T>(residual_edge, hidden_edge, squares);
      residual.store_edge(share.edge, sum.edge);
    }
    if (row + clusters < t.rows) {
      residual_edge = t.template residual_row<W>(row + clusters).load_edge(edge, 0.0f);
      hidden_edge = t.template hidden_row<W>(row + clusters).load_edge(edge, 0.0f);
    }
    squares = block.reduce<Sum>(squares);  // its barrier: all have read the stage
    order(i + kStages);
    const float2 theirs = exchange.all({squares, 0.0f}, {Sum::identity(), 0.0f});
    const float scale = t.scale_of(warp_reduce<Sum>(theirs.x));
    WATCH(scale);
    write_fetching(sum, t.weight, hidden, share, scale);
  }
#endif
}
// endregion cluster

constexpr int kSplitThreads = 512;
constexpr int kSplitHeld = 2;

// region split
/// Block (row, c) adds part c and leaves the sum of its squares.
template <class W>
__global__ void __launch_bounds__(kSplitThreads) add_part(Tensors<typename W::T> t,
                                                          float* part_squares) {  // [rows, parts]
  __shared__ Block::Partials partials;
  Block block(partials);
  const auto hidden = t.template hidden_row<W>(blockIdx.x);
  const auto residual = t.template residual_row<W>(blockIdx.x);
  Share share = Part(blockIdx.y, gridDim.y, hidden.packs).share();

  float squares = Sum::identity();
  do {
    Held<W, kSplitHeld> sum, added;
    sum.read(residual, share, 0.0f);
    added.read(hidden, share, 0.0f);
    squares += add(sum, added, residual, share);
    share.first += kSplitHeld * kSplitThreads;
    share.edge = kNoEdge;
  } while (share.first < share.end);
  squares = block.reduce<Sum>(squares);
  WATCH(squares);
  if (threadIdx.x == 0) part_squares[static_cast<size_t>(blockIdx.x) * gridDim.y + blockIdx.y] = squares;
}

/// Block (row, c) sums the row's partial sums, each warp for itself, and normalises part c from the stored residual.
template <class W>
__global__ void __launch_bounds__(kSplitThreads) normalise_part(Tensors<typename W::T> t,
                                                                const float* part_squares) {  // [rows, parts]
  const int parts = gridDim.y;
  const int lane = threadIdx.x % kWarpSize;
  const float mine = lane < parts ? part_squares[static_cast<size_t>(blockIdx.x) * parts + lane] : Sum::identity();
  const float scale = t.scale_of(warp_reduce<Sum>(mine));
  WATCH(scale);

  const auto hidden = t.template hidden_row<W>(blockIdx.x);
  const auto residual = t.template residual_row<W>(blockIdx.x);
  Share share = Part(blockIdx.y, parts, hidden.packs).share();
  do {
    Held<W, kSplitHeld> sum;
    Weights<W, kSplitHeld> weight;
    sum.read(residual, share, 0.0f);
    weight.read(t.weight, 1.0f, hidden, share);
    write(sum, weight, hidden, share, scale);
    share.first += kSplitHeld * kSplitThreads;
    share.edge = kNoEdge;
  } while (share.first < share.end);
}

template <class W, class T>
cudaError_t launch_split(const Tensors<T>& t, int multiprocessors) {
  const dim3 grid(t.rows, parts_for(t.rows, multiprocessors));
  return with_scratch<float>(static_cast<size_t>(grid.x) * grid.y, [&](float* part_squares) {  // [rows, parts]
    add_part<W><<<grid, kSplitThreads>>>(t, part_squares);
    WARPBOOK_TRY(cudaGetLastError());
    normalise_part<W><<<grid, kSplitThreads>>>(t, part_squares);
    return cudaGetLastError();
  });
}
// endregion split

// region choice
template <class W, class T>
cudaError_t launch_by_length(const Tensors<T>& t) {
  const int packs = t.cols / W::kWidth;  // at most
  if (packs <= kTilePacks) return launch_short<W>(t, packs);

  int device = 0, multiprocessors = 0;
  WARPBOOK_TRY(cudaGetDevice(&device));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const bool fills_the_device = 2LL * t.rows > multiprocessors;
  const bool by_block = packs <= kBlockPacks / 2 && (fills_the_device || packs <= kBlockPacks / 8);
  if constexpr (W::kWidth > 1) {
    if (!by_block) {
      const StreamingKernel<Tensors<T>> wide = {fused_by_cluster<W, kWidePacks, 1>, kWidePacks, kWideThreads, 2};
      const StreamingKernel<Tensors<T>> narrow = {fused_by_cluster<W, kNarrowPacks, 2>, kNarrowPacks, kNarrowThreads<W>, 4};
      const cudaError_t status = launch_in_parts(t, t.rows, packs, wide, narrow, multiprocessors);
      if (status != cudaErrorInvalidClusterSize) return status;
    }
  }
  if (packs > kBlockPacks) return launch_split<W>(t, multiprocessors);
  fused_by_block<W><<<t.rows, threads_for(packs, kHeldPacks)>>>(t);
  return cudaGetLastError();
}

template <class T>
cudaError_t launch(const Tensors<T>& t) {
  if (t.hidden == nullptr || t.rows == 0) return cudaSuccess;  // a grid of no blocks would be an error
  return warpbook::kernel::by_widest_way<T>(t.hidden, t.hidden_stride, t.residual, t.residual_stride, t.rows, t.cols,
                                            [&](auto way) { return launch_by_length<decltype(way)>(t); });
}
// endregion choice

}  // namespace

cudaError_t launch_fused_add_rmsnorm(float* hidden,                     // [rows, cols], row stride hidden_stride
                                     float* residual,                   // [rows, cols], row stride residual_stride
                                     const float* weight,               // [cols] or null
                                     __nv_bfloat16* hidden_bf16,        // [rows, cols], row stride hidden_bf16_stride
                                     __nv_bfloat16* residual_bf16,      // [rows, cols], row stride residual_bf16_stride
                                     const __nv_bfloat16* weight_bf16,  // [cols] or null
                                     int rows, int cols, float eps, long long hidden_stride, long long residual_stride,
                                     long long hidden_bf16_stride, long long residual_bf16_stride) {
  WARPBOOK_TRY(launch(Tensors<float>{hidden, residual, weight, rows, cols, eps, hidden_stride, residual_stride}));
  return launch(Tensors<__nv_bfloat16>{hidden_bf16, residual_bf16, weight_bf16, rows, cols, eps, hidden_bf16_stride, residual_bf16_stride});
}
