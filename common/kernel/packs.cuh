// Rows by 16 bytes an access, wherever they begin.
//
// The widest load and store move 16 bytes, and only at addresses that are multiples of 16. A row of 50,257 floats begins at one in four
// times. So a row is taken apart: its *packs* lie between the first and the last multiple of 16 within it and move by one access each; what
// lies before and behind, its *edges*, are fewer columns than two packs have, and move one by one, one a thread.
//
// Two rows can be moved by the same threads only when both are taken apart alike. Where they are not (x and y of different stride, say),
// packs of one column (kWidth = 1) always fit and leave no edges: the code is the same, the accesses are four or eight times as many.
//
// Elements are float or bfloat16; packs keep the stored type, so that a pack of either takes four registers.
#pragma once
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace warpbook::kernel {

constexpr int kPackBytes = 16;

/// Columns of a pack of 16 bytes.
template <class T>
constexpr int kWidest = kPackBytes / static_cast<int>(sizeof(T));

/// kColumns neighbours of a row as they are stored: of bfloat16 two share a register, and stay so until they are asked for.
template <class T, int kColumns>
struct Pack {
  static constexpr int kWidth = kColumns;
  static constexpr int kBytes = static_cast<int>(sizeof(T)) * kWidth;
  static constexpr int kPerWord = kWidth == 1 ? 1 : 4 / static_cast<int>(sizeof(T));  // elements in 32 bits
  static constexpr int kWords = kWidth / kPerWord;
  unsigned word[kWords];

  /// kWidth times `value`, which T holds exactly.
  static __device__ __forceinline__ Pack filled(float value) {
    Pack pack;
#pragma unroll
    for (int w = 0; w < kWords; ++w) pack.word[w] = kPerWord == 2 ? bits(value) << 16 | bits(value) : bits(value);
    return pack;
  }

  /// Column k. Widening is exact: a bfloat16 is the upper half of a float.
  __device__ __forceinline__ float operator[](int k) const {
    if (sizeof(T) == 4) return __uint_as_float(word[k]);
    const unsigned pair = word[k / kPerWord];
    return __uint_as_float(k % kPerWord == 1 ? pair & 0xffff0000u : pair << 16);
  }

  /// What `values` round to: to nearest, ties to even.
  static __device__ __forceinline__ Pack rounded(const float (&values)[kWidth]) {
    Pack pack;
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      if constexpr (kPerWord == 2) {
        const __nv_bfloat162 pair = __floats2bfloat162_rn(values[2 * w], values[2 * w + 1]);
        memcpy(&pack.word[w], &pair, sizeof(pair));
      } else {
        pack.word[w] = bits(values[w]);
      }
    }
    return pack;
  }

  /// One access; `place` is a multiple of kBytes. kReadOnly: nobody writes there while the kernel runs.
  template <bool kReadOnly = false>
  static __device__ __forceinline__ Pack load(const T* place) {
    Pack pack;
    if constexpr (kBytes == 16) {
      const uint4* from = reinterpret_cast<const uint4*>(place);
      const uint4 v = kReadOnly ? __ldg(from) : *from;
      pack.word[0] = v.x, pack.word[1] = v.y, pack.word[2] = v.z, pack.word[3] = v.w;
    } else {
      pack.word[0] = raw<kReadOnly>(place);
    }
    return pack;
  }

  __device__ __forceinline__ void store(T* place) const {
    if constexpr (kBytes == 16) {
      *reinterpret_cast<uint4*>(place) = make_uint4(word[0], word[1], word[2], word[3]);
    } else if constexpr (kBytes == 4) {
      *reinterpret_cast<unsigned*>(place) = word[0];
    } else {
      *reinterpret_cast<unsigned short*>(place) = static_cast<unsigned short>(word[0]);
    }
  }

 private:
  static __device__ __forceinline__ unsigned bits(float value) {
    if constexpr (sizeof(T) == 4) return __float_as_uint(value);
    return __bfloat16_as_ushort(__float2bfloat16_rn(value));
  }
  template <bool kReadOnly>
  static __device__ __forceinline__ unsigned raw(const T* place) {
    using Bits = std::conditional_t<sizeof(T) == 4, unsigned, unsigned short>;
    const Bits* from = reinterpret_cast<const Bits*>(place);
    return kReadOnly ? __ldg(from) : *from;
  }
};

/// How the rows of a launch move. Aligned: every row begins and ends at a multiple of 16 bytes. Shifted: packs with edges. Single: one by
/// one.
template <class Element, int kColumns, bool kWithEdges>
struct Way {
  using T = Element;
  static constexpr int kWidth = kColumns;
  static constexpr bool kEdges = kWithEdges;
  static constexpr int kMostEdges = kEdges ? 2 * (kWidth - 1) : 0;
  using Columns = Pack<T, kWidth>;
};
template <class T>
using Aligned = Way<T, kWidest<T>, false>;
template <class T>
using Shifted = Way<T, kWidest<T>, true>;
template <class T>
using Single = Way<T, 1, false>;

/// A row of `cols` elements from `first` on, taken apart: `head` columns, `packs` packs, and the rest.
template <class W, class T = typename W::T>
struct PackedRow {
  static constexpr int kWidth = W::kWidth;
  using Columns = typename W::Columns;
  using One = Pack<typename W::T, 1>;
  T* first;  // column 0
  int cols, head, packs;

  __device__ __forceinline__ PackedRow(T* row, int row_cols) : first(row), cols(row_cols), head(0) {
    if constexpr (W::kEdges) {
      const int past = static_cast<int>(reinterpret_cast<std::uintptr_t>(row) / sizeof(T) % kWidth);
      head = min(cols, (kWidth - past) % kWidth);
    }
    packs = (cols - head) / kWidth;
  }

  __device__ __forceinline__ int column(int pack) const { return head + pack * kWidth; }
  __device__ __forceinline__ int edges() const { return W::kEdges ? cols - packs * kWidth : 0; }
  __device__ __forceinline__ int edge_column(int edge) const { return edge < head ? edge : edge + packs * kWidth; }

  __device__ __forceinline__ Columns load(int pack) const { return Columns::load(first + column(pack)); }
  __device__ __forceinline__ void store(int pack, const Columns& columns) const { columns.store(first + column(pack)); }

  /// Column edge_column(edge), `gap` where there is no such edge.
  __device__ __forceinline__ float load_edge(int edge, float gap) const {
    if constexpr (!W::kEdges) return gap;
    return edge < edges() ? One::load(first + edge_column(edge))[0] : gap;
  }
  __device__ __forceinline__ void store_edge(int edge, float value) const {
    if constexpr (W::kEdges) {
      if (edge < edges()) One::rounded({value}).store(first + edge_column(edge));
    }
  }
};
template <class W>
using ConstRow = PackedRow<W, const typename W::T>;

/// Which part of a row is one thread's: packs first, first + lanes, ... before end, and the edge of that number.
struct Share {
  int first, lanes, end, edge;

  /// visit(i, pack) for the i-th pack of the share, which has at most kPacks.
  template <int kPacks, class Visit>
  __device__ __forceinline__ void each_pack(Visit visit) const {
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      const int pack = first + i * lanes;
      if (pack < end) visit(i, pack);
    }
  }
};
constexpr int kNoEdge = 1 << 30;

/// The columns of a share of at most kPacks packs, in registers, as they are stored.
template <class W, int kPacks>
struct Held {
  typename W::Columns pack[kPacks];
  float edge;

  /// What load(pack) brings; everything is on its way before anything is waited for. `gap` stands where the share has no pack.
  template <class Load>
  __device__ __forceinline__ void fill(Share share, float gap, Load load) {
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      const int p = share.first + i * share.lanes;
      pack[i] = p < share.end ? load(p) : W::Columns::filled(gap);
    }
  }
  template <class Row>
  __device__ __forceinline__ void read(const Row& row, Share share, float gap) {
    edge = row.load_edge(share.edge, gap);
    fill(share, gap, [&](int p) { return row.load(p); });
  }

  /// Between two walks over the same columns: the compiler would rather keep them widened, in registers that a long share does not have.
  __device__ __forceinline__ void stay_packed() {
#pragma unroll
    for (int i = 0; i < kPacks; ++i)
#pragma unroll
      for (unsigned& word : pack[i].word) asm volatile("" : "+r"(word));
  }

  /// visit(value) for every column, gaps included.
  template <class Visit>
  __device__ __forceinline__ void each(Visit visit) const {
#pragma unroll
    for (int i = 0; i < kPacks; ++i)
#pragma unroll
      for (int k = 0; k < W::kWidth; ++k) visit(pack[i][k]);
    if constexpr (W::kEdges) visit(edge);
  }

  /// visit(value) for every column that the row has.
  template <class Row, class Visit>
  __device__ __forceinline__ void each_of(const Row& row, Share share, Visit visit) const {
    share.each_pack<kPacks>([&](int i, int) {
#pragma unroll
      for (int k = 0; k < W::kWidth; ++k) visit(pack[i][k]);
    });
    if (W::kEdges && share.edge < row.edges()) visit(edge);
  }

  /// map(value) of every column that the row has, rounded, to the row.
  template <class Row, class Map>
  __device__ __forceinline__ void write(const Row& row, Share share, Map map) const {
    share.each_pack<kPacks>([&](int i, int p) {
      float out[W::kWidth];
#pragma unroll
      for (int k = 0; k < W::kWidth; ++k) out[k] = map(pack[i][k]);
      row.store(p, W::Columns::rounded(out));
    });
    if constexpr (W::kEdges) row.store_edge(share.edge, map(edge));
  }
};

/// The same, widened: for values that change in place. Of bfloat16 it takes twice the registers.
template <class W, int kPacks>
struct Values {
  float at[kPacks][W::kWidth];
  float edge;

  __device__ __forceinline__ explicit Values(const Held<W, kPacks>& held) : edge(held.edge) {
#pragma unroll
    for (int i = 0; i < kPacks; ++i)
#pragma unroll
      for (int k = 0; k < W::kWidth; ++k) at[i][k] = held.pack[i][k];
  }
  template <class Visit>
  __device__ __forceinline__ void each(Visit visit) {
#pragma unroll
    for (int i = 0; i < kPacks; ++i)
#pragma unroll
      for (int k = 0; k < W::kWidth; ++k) visit(at[i][k]);
    if constexpr (W::kEdges) visit(edge);
  }
  template <class Row, class Map>
  __device__ __forceinline__ void write(const Row& row, Share share, Map map) const {
    share.each_pack<kPacks>([&](int i, int p) {
      float out[W::kWidth];
#pragma unroll
      for (int k = 0; k < W::kWidth; ++k) out[k] = map(at[i][k]);
      row.store(p, W::Columns::rounded(out));
    });
    if constexpr (W::kEdges) row.store_edge(share.edge, map(edge));
  }
};

/// Columns from `col` on of a vector that nobody writes and that all rows have in common (a weight); `absent` where it is null. By one
/// access where they lie at a multiple of their size.
template <class Columns, class T>
__device__ __forceinline__ Columns fetch(const T* vector, int col, float absent) {
  if (vector == nullptr) return Columns::filled(absent);  // the same for the whole grid
  if (reinterpret_cast<std::uintptr_t>(vector + col) % Columns::kBytes == 0) return Columns::template load<true>(vector + col);
  float values[Columns::kWidth];
#pragma unroll
  for (int k = 0; k < Columns::kWidth; ++k) values[k] = Pack<T, 1>::template load<true>(vector + col + k)[0];
  return Columns::rounded(values);  // they are exact in T
}

/// Those of a share.
template <class W, int kPacks>
struct Weights {
  typename W::Columns pack[kPacks];
  float edge;

  template <class Row>
  __device__ __forceinline__ void read(const typename W::T* vector, float absent, const Row& row, Share share) {
    share.each_pack<kPacks>([&](int i, int p) { pack[i] = fetch<typename W::Columns>(vector, row.column(p), absent); });
    if (W::kEdges && share.edge < row.edges()) edge = fetch<Pack<typename W::T, 1>>(vector, row.edge_column(share.edge), absent)[0];
  }
};

/// launch(way) with the widest way in which the rows of two matrices of so many rows and columns move together: Aligned, Shifted or
/// Single.
template <class T, class Launch>
inline cudaError_t by_widest_way(const T* a, long long a_stride, const T* b, long long b_stride, int rows, int cols, Launch launch) {
  const auto past = [](const T* place) { return reinterpret_cast<std::uintptr_t>(place) % kPackBytes; };
  const bool alike = past(a) == past(b) && (rows == 1 || (a_stride - b_stride) % kWidest<T> == 0);
  if (!alike) return launch(Single<T>{});
  const bool whole = past(a) == 0 && (rows == 1 || a_stride % kWidest<T> == 0) && cols % kWidest<T> == 0;
  return whole ? launch(Aligned<T>{}) : launch(Shifted<T>{});
}

}  // namespace warpbook::kernel
