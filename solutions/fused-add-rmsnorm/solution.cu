// Residual add and RMSNorm in place, float and bfloat16: residual += hidden, then hidden = residual / sqrt(mean(residual^2) + eps) *
// weight, from the residual as it is stored.
//
// The idea: four passes are the least (both tensors in, both out), and they suffice where the new residual of a row stays in registers
// between the two. What is kept is what is stored: a bfloat16 sum waits in 16 bits, half a register, and statistics and output
// cannot help being those of the rounded sum.
//
//   cols                    path                  where the new residual waits                reads of residual
//   up to 1024              a warp a row          registers, 1 to 32 columns a lane           1
//   up to what a block has  a block a row         registers, 16 a thread                      1
//   beyond                  several blocks a row  in memory; partial sums in scratch memory   2
//
// A block of 1024 threads has 16,384 floats or 32,768 bfloat16 in its registers; of rows that do not allow 16 bytes a load, 16,384 of
// either. Loads and stores have 16 bytes where every pointer, every stride and the length of a row are multiples of that, and one
// element otherwise.
//
// Contract: rows >= 0, cols >= 1; hidden and residual of a type are both given or both null, weight may be null and means 1; strides in
// elements, at least cols; the tensors do not overlap; no alignment is assumed. A row with a NaN is NaN in hidden.
//
// Still bad: few rows of middle length keep as many multiprocessors busy as there are rows. A row of 16,388 floats costs five passes
// where shared memory could hold it. A row of odd length goes element by element from end to end, although all but its edges
// could go by 16 bytes where base and strides allow. Weights are read again for every row.
//
// Run it: ./workbook run fused-add-rmsnorm --solution
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::kWarpSize;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kMostThreads = 1024;
constexpr int kVectorBytes = 16;  // the widest load there is

/// The tensors of one element type.
template <class T>
struct Tensors {
  T* hidden;        // [rows, cols], row stride hidden_stride; becomes the normalised row
  T* residual;      // [rows, cols], row stride residual_stride; becomes the sum
  const T* weight;  // [cols] or null, which means 1
  int rows, cols;
  float eps;
  long long hidden_stride, residual_stride;  // 64 bits: row * stride passes 2^31 long before memory ends

  __device__ T* hidden_row(long long row) const { return hidden + row * hidden_stride; }
  __device__ T* residual_row(long long row) const { return residual + row * residual_stride; }
  __device__ float scale_of(float squares) const { return rsqrtf(squares / cols + eps); }
};

// ---- elements and packs of them --------------------------------------------------------------------------------------------

// region pack
/// Widening is exact; narrowing rounds to nearest, ties to even.
__device__ __forceinline__ float widen(float v) { return v; }
__device__ __forceinline__ float widen(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ __forceinline__ void narrow(float v, float& out) { out = v; }
__device__ __forceinline__ void narrow(float v, __nv_bfloat16& out) { out = __float2bfloat16_rn(v); }

/// kWidth neighbours of a row, in the type in which they are stored.
template <class T, int kWidth>
struct Pack {
  T at[kWidth];
};

/// The type of a load of so many bytes.
template <int kBytes>
struct Word;
template <>
struct Word<2> {
  using Type = unsigned short;
};
template <>
struct Word<4> {
  using Type = unsigned;
};
template <>
struct Word<16> {
  using Type = uint4;
};

/// One load; `place` is a multiple of the bytes of a pack.
template <int kWidth, class T>
__device__ __forceinline__ Pack<T, kWidth> load(const T* place) {
  Pack<T, kWidth> pack;
  const auto word = *reinterpret_cast<const typename Word<sizeof(pack)>::Type*>(place);
  memcpy(&pack, &word, sizeof(pack));  // moves registers, or nothing
  return pack;
}

/// One store.
template <class T, int kWidth>
__device__ __forceinline__ void store(T* place, const Pack<T, kWidth>& pack) {
  typename Word<sizeof(pack)>::Type word;
  memcpy(&word, &pack, sizeof(pack));
  *reinterpret_cast<typename Word<sizeof(pack)>::Type*>(place) = word;
}
// endregion pack

// region arithmetic
/// The new residual. In bfloat16 the float in between does no harm: it has more than 2 * 8 + 2 bits, so that rounding twice gives
/// what rounding once gives.
template <class T, int kWidth>
__device__ __forceinline__ Pack<T, kWidth> sum_of(const Pack<T, kWidth>& a, const Pack<T, kWidth>& b) {
  Pack<T, kWidth> sum;
#pragma unroll
  for (int k = 0; k < kWidth; ++k) narrow(widen(a.at[k]) + widen(b.at[k]), sum.at[k]);
  return sum;
}

/// Of the rounded sum, as the contract has it.
template <class T, int kWidth>
__device__ __forceinline__ float squares_of(const Pack<T, kWidth>& pack) {
  float squares = Sum::identity();
#pragma unroll
  for (int k = 0; k < kWidth; ++k) squares += widen(pack.at[k]) * widen(pack.at[k]);
  return squares;
}

/// New hidden of the columns from `col` on: one product in float, rounded once.
template <class T, int kWidth>
__device__ __forceinline__ Pack<T, kWidth> normalised(const Pack<T, kWidth>& pack, float scale, const T* weight, int col) {
  Pack<T, kWidth> out;
  if (weight == nullptr) {
#pragma unroll
    for (int k = 0; k < kWidth; ++k) narrow(widen(pack.at[k]) * scale, out.at[k]);
    return out;
  }
  const Pack<T, kWidth> w = load<kWidth>(weight + col);
#pragma unroll
  for (int k = 0; k < kWidth; ++k) narrow(widen(pack.at[k]) * scale * widen(w.at[k]), out.at[k]);
  return out;
}
// endregion arithmetic

// ---- rows that registers hold ----------------------------------------------------------------------------------------------

/// Threads that share a row: a warp, which needs no barrier, or a block.
struct WarpTeam {
  __device__ int rank() const { return threadIdx.x % kWarpSize; }
  __device__ int size() const { return kWarpSize; }
  __device__ float sum(float value) const { return warp_reduce<Sum>(value); }
};

struct BlockTeam {
  float* partials;  // [kMaxWarps], shared memory
  __device__ int rank() const { return threadIdx.x; }
  __device__ int size() const { return blockDim.x; }
  __device__ float sum(float value) const { return block_reduce<Sum>(value, partials); }
};

// region row
/// One row by a team whose slots hold it: size * kSlots * kWidth >= cols, cols a multiple of kWidth. Each element is read and written
/// by one thread only, which reads first: in place needs no care. All loads of a thread are under way before the first is waited for.
template <int kWidth, int kSlots, class T, class Team>
__device__ __forceinline__ void fuse_row(const Tensors<T>& t, long long row, const Team& team) {
  T* hidden = t.hidden_row(row);
  T* residual = t.residual_row(row);
  const auto column = [&](int slot) { return (team.rank() + slot * team.size()) * kWidth; };

  Pack<T, kWidth> held[kSlots], added[kSlots];
#pragma unroll
  for (int i = 0; i < kSlots; ++i) {
    if (column(i) >= t.cols) continue;
    held[i] = load<kWidth>(residual + column(i));
    added[i] = load<kWidth>(hidden + column(i));
  }

  float squares = Sum::identity();
#pragma unroll
  for (int i = 0; i < kSlots; ++i) {
    if (column(i) >= t.cols) continue;
    held[i] = sum_of(held[i], added[i]);
    store(residual + column(i), held[i]);
    squares += squares_of(held[i]);
  }
  const float scale = t.scale_of(team.sum(squares));
  WATCH(squares);
  WATCH(scale);

#pragma unroll
  for (int i = 0; i < kSlots; ++i) {
    if (column(i) < t.cols) store(hidden + column(i), normalised(held[i], scale, t.weight, column(i)));
  }
}
// endregion row

constexpr int kWarpRowCols = 1024;
constexpr int kRowsPerBlock = 4;

template <int kWidth, int kSlots, class T>
__global__ void __launch_bounds__(kRowsPerBlock* kWarpSize) fused_by_warp(Tensors<T> t) {
  const long long row = static_cast<long long>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kWarpSize;
  if (row < t.rows) fuse_row<kWidth, kSlots>(t, row, WarpTeam{});  // a whole warp stays away, and no barrier waits for it
}

/// By the fewest slots (1, 2, 4...) that hold the row.
template <int kWidth, class T, int kSlots = 1>
cudaError_t launch_by_warp(const Tensors<T>& t) {
  constexpr int kHeld = kSlots * kWidth * kWarpSize;
  if constexpr (kHeld < kWarpRowCols) {
    if (t.cols > kHeld) return launch_by_warp<kWidth, T, 2 * kSlots>(t);
  }
  const int blocks = (t.rows - 1) / kRowsPerBlock + 1;
  fused_by_warp<kWidth, kSlots><<<blocks, kRowsPerBlock * kWarpSize>>>(t);
  return cudaGetLastError();
}

constexpr int kFewestThreads = 128;

/// Sixteen registers a thread where a load fills four of them, and as many where it fills one.
template <int kWidth>
constexpr int kBlockSlots = kWidth == 1 ? 16 : 4;

template <int kWidth, class T>
__global__ void __launch_bounds__(kMostThreads) fused_by_block(Tensors<T> t) {
  __shared__ float partials[kMaxWarps];
  fuse_row<kWidth, kBlockSlots<kWidth>>(t, blockIdx.x, BlockTeam{partials});
}

/// By the smallest block that holds the row.
template <int kWidth, class T>
cudaError_t launch_by_block(const Tensors<T>& t) {
  int threads = kFewestThreads;
  while (threads * kBlockSlots<kWidth> * kWidth < t.cols) threads *= 2;
  fused_by_block<kWidth><<<t.rows, threads>>>(t);
  return cudaGetLastError();
}

// ---- rows that are longer: several blocks a row ------------------------------------------------------------------------------

constexpr int kMostChunks = kWarpSize;  // so that one lane of a warp reads each partial sum

/// Columns [first, last) of chunk `index`, in whole packs; a chunk may be empty.
struct Chunk {
  int first, last;
};

__device__ Chunk chunk_of(int index, int chunks, int cols, int width) {
  const int length = ((cols / width - 1) / chunks + 1) * width;
  return {min(cols, index * length), min(cols, (index + 1) * length)};
}

// region split
/// Block (row, c) adds chunk c and leaves the sum of its squares in partials.
template <int kWidth, class T>
__global__ void __launch_bounds__(kMostThreads) add_chunk(Tensors<T> t,
                                                          float* chunk_squares) {  // [rows, chunks]
  __shared__ float partials[kMaxWarps];
  const Chunk chunk = chunk_of(blockIdx.y, gridDim.y, t.cols, kWidth);
  const T* hidden = t.hidden_row(blockIdx.x);
  T* residual = t.residual_row(blockIdx.x);

  float squares = Sum::identity();
  for (int col = chunk.first + threadIdx.x * kWidth; col < chunk.last; col += blockDim.x * kWidth) {
    const Pack<T, kWidth> sum = sum_of(load<kWidth>(residual + col), load<kWidth>(hidden + col));
    store(residual + col, sum);
    squares += squares_of(sum);
  }
  squares = block_reduce<Sum>(squares, partials);
  WATCH(squares);
  if (threadIdx.x == 0) chunk_squares[static_cast<size_t>(blockIdx.x) * gridDim.y + blockIdx.y] = squares;
}

/// Block (row, c) sums the row's partial sums, each warp for itself, and normalises chunk c from the stored residual.
template <int kWidth, class T>
__global__ void __launch_bounds__(kMostThreads) normalise_chunk(Tensors<T> t,
                                                                const float* chunk_squares) {  // [rows, chunks]
  const int chunks = gridDim.y;
  const int lane = threadIdx.x % kWarpSize;
  const float mine = lane < chunks ? chunk_squares[static_cast<size_t>(blockIdx.x) * chunks + lane] : Sum::identity();
  const float scale = t.scale_of(warp_reduce<Sum>(mine));
  WATCH(scale);

  const Chunk chunk = chunk_of(blockIdx.y, chunks, t.cols, kWidth);
  const T* residual = t.residual_row(blockIdx.x);
  T* hidden = t.hidden_row(blockIdx.x);
  for (int col = chunk.first + threadIdx.x * kWidth; col < chunk.last; col += blockDim.x * kWidth) {
    store(hidden + col, normalised(load<kWidth>(residual + col), scale, t.weight, col));
  }
}

template <int kWidth, class T>
cudaError_t launch_both_kernels(const Tensors<T>& t, int chunks, float* chunk_squares) {
  const dim3 grid(t.rows, chunks);
  add_chunk<kWidth><<<grid, kMostThreads>>>(t, chunk_squares);
  WARPBOOK_TRY(cudaGetLastError());
  normalise_chunk<kWidth><<<grid, kMostThreads>>>(t, chunk_squares);
  return cudaGetLastError();
}

/// Enough blocks to give every multiprocessor two, at most kMostChunks a row. The scratch memory comes and goes in the order of the
/// stream: nothing waits for the device.
template <int kWidth, class T>
cudaError_t launch_split(const Tensors<T>& t) {
  int device = 0, multiprocessors = 0;
  WARPBOOK_TRY(cudaGetDevice(&device));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const int wanted = 2 * multiprocessors / t.rows;
  const int chunks = wanted < 1 ? 1 : wanted > kMostChunks ? kMostChunks : wanted;

  constexpr cudaStream_t kStream = nullptr;
  float* chunk_squares = nullptr;  // [rows, chunks]
  WARPBOOK_TRY(cudaMallocAsync(reinterpret_cast<void**>(&chunk_squares), sizeof(float) * t.rows * chunks, kStream));
  const cudaError_t launched = launch_both_kernels<kWidth>(t, chunks, chunk_squares);
  const cudaError_t freed = cudaFreeAsync(chunk_squares, kStream);
  return launched != cudaSuccess ? launched : freed;
}
// endregion split

// ---- the choice ------------------------------------------------------------------------------------------------------------

// region choice
bool starts_on_vector(const void* place) { return reinterpret_cast<std::uintptr_t>(place) % kVectorBytes == 0; }

/// Whether every row of every tensor can be moved by 16 bytes a load from its first column to its last.
template <class T>
bool goes_by_vectors(const Tensors<T>& t) {
  constexpr int kWidth = kVectorBytes / sizeof(T);
  const bool bases = starts_on_vector(t.hidden) && starts_on_vector(t.residual) && starts_on_vector(t.weight);  // null does, too
  const bool strides = t.rows == 1 || (t.hidden_stride % kWidth == 0 && t.residual_stride % kWidth == 0);
  return bases && strides && t.cols % kWidth == 0;
}

template <int kWidth, class T>
cudaError_t launch_by_length(const Tensors<T>& t) {
  if (t.cols <= kWarpRowCols) return launch_by_warp<kWidth>(t);
  if (t.cols <= kMostThreads * kBlockSlots<kWidth> * kWidth) return launch_by_block<kWidth>(t);
  return launch_split<kWidth>(t);
}

template <class T>
cudaError_t launch(const Tensors<T>& t) {
  if (t.hidden == nullptr || t.rows == 0) return cudaSuccess;  // a grid of no blocks would be an error
  return goes_by_vectors(t) ? launch_by_length<kVectorBytes / sizeof(T)>(t) : launch_by_length<1>(t);
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
