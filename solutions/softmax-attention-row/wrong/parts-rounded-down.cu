// verdict: WA
// reason: value
// cases: long, two-long
// mistake: keys are divided among the parts rounding down, so the last few belong to no part
// question: how many keys do nine parts of a row of 2050 have, and what is nine times that?
// Attention of one query a row: groups of lanes with an output each, merged in the block and between blocks; keys / parts, rounded down.
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::kAllLanes;

constexpr int kThreads = 128;
constexpr int kMostCols = 256;
constexpr int kVector = 4;  // floats of a 16-byte load

struct Heads {
  const float* q;     // [rows, cols], dense
  const float* k;     // [rows * keys, cols], row stride k_stride
  const float* v;     // [rows * keys, cols], row stride v_stride
  const float* mask;  // [rows, keys], dense, or null
  float* out;         // [rows, cols], dense
  int rows, keys, cols;
  float scale;
  long long k_stride, v_stride;

  __device__ const float* key(long long row, int j) const { return k + (row * keys + j) * k_stride; }
  __device__ const float* value(long long row, int j) const { return v + (row * keys + j) * v_stride; }
};

/// Which columns of a head a lane of a group holds: kHeld of kLanes * kHeld.
template <int kLanes, int kHeld, bool kVectors>
struct Columns {
  static constexpr int kGroups = kThreads / kLanes;

  static __device__ int lane() { return threadIdx.x % kLanes; }
  static __device__ int column(int i) {
    return kVectors ? (i / kVector * kLanes + lane()) * kVector + i % kVector : i * kLanes + lane();
  }
  /// The lane's elements of a row of [cols], 0 where there is none.
  static __device__ void load(const float* row, int cols, float (&held)[kHeld]) {
    if constexpr (kVectors) {
#pragma unroll
      for (int i = 0; i < kHeld; i += kVector) {
        float4 four = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (column(i) < cols) four = *reinterpret_cast<const float4*>(row + column(i));  // cols is a multiple of 4
        held[i] = four.x, held[i + 1] = four.y, held[i + 2] = four.z, held[i + 3] = four.w;
      }
    } else {
#pragma unroll
      for (int i = 0; i < kHeld; ++i) held[i] = column(i) < cols ? row[column(i)] : 0.0f;
    }
  }
  /// The sum over the lanes of a group, in each of them. All lanes of the warp take part.
  static __device__ float sum(float mine) {
#pragma unroll
    for (int offset = kLanes / 2; offset > 0; offset /= 2) mine += __shfl_xor_sync(kAllLanes, mine, offset);
    return mine;
  }
};

/// What something seen from `from` is worth as seen from `to`, which is not smaller. Nothing was seen from -inf.
__device__ float moved_by(float from, float to) { return from == -INFINITY ? 0.0f : expf(from - to); }

/// Scratch of a part: maximum, sum, and the output before its division.
__host__ __device__ size_t part_floats(int cols) { return 2 + static_cast<size_t>(cols); }

/// Block (row, c) answers row r from keys [c * part_keys, (c + 1) * part_keys). It writes the output, or its part to scratch.
template <int kLanes, int kHeld, bool kVectors>
__global__ void __launch_bounds__(kThreads) attend(Heads h, int part_keys,
                                                   float* scratch) {  // [rows, parts, 2 + cols], or null: one part
  using Own = Columns<kLanes, kHeld, kVectors>;
  __shared__ alignas(16) float scaled_query[kMostCols];
  __shared__ float maxima[Own::kGroups], sums[Own::kGroups];
  __shared__ float outputs[Own::kGroups][kLanes * kHeld];
  const int group = threadIdx.x / kLanes;
  const long long row = blockIdx.x;
  const int first = blockIdx.y * part_keys;
  const int last = min(h.keys, first + part_keys);

  for (int col = threadIdx.x; col < h.cols; col += kThreads) scaled_query[col] = h.scale * h.q[row * h.cols + col];
  __syncthreads();
  float query[kHeld], output[kHeld];
  Own::load(scaled_query, h.cols, query);
#pragma unroll
  for (int i = 0; i < kHeld; ++i) output[i] = 0.0f;

  float largest = -INFINITY, sum = 0.0f;
  for (int turn = first; turn < last; turn += Own::kGroups) {
    const int j = turn + group;
    const bool there = j < last;  // groups without a key take part in the shuffles
    float held[kHeld];
    float dot = 0.0f, added = 0.0f;
    if (there) {
      Own::load(h.key(row, j), h.cols, held);
#pragma unroll
      for (int i = 0; i < kHeld; ++i) dot += query[i] * held[i];
      if (h.mask != nullptr && Own::lane() == 0) added = h.mask[row * h.keys + j];
    }
    const float score = Own::sum(dot) + __shfl_sync(kAllLanes, added, 0, kLanes);
    if (!there || score == -INFINITY) continue;  // no shuffle behind this line

    const float larger = fmaxf(largest, score);
    const float factor = moved_by(largest, larger), weight = expf(score - larger);
    sum = sum * factor + weight;
    largest = larger;
    Own::load(h.value(row, j), h.cols, held);
#pragma unroll
    for (int i = 0; i < kHeld; ++i) output[i] = output[i] * factor + weight * held[i];
  }

  if (Own::lane() == 0) maxima[group] = largest, sums[group] = sum;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) outputs[group][Own::column(i)] = output[i];
  __syncthreads();

  float block_max = -INFINITY, block_sum = 0.0f;
  for (int g = 0; g < Own::kGroups; ++g) block_max = fmaxf(block_max, maxima[g]);
  for (int g = 0; g < Own::kGroups; ++g) block_sum += sums[g] * moved_by(maxima[g], block_max);
  float* part = scratch == nullptr ? nullptr : scratch + (row * gridDim.y + blockIdx.y) * part_floats(h.cols);
  for (int col = threadIdx.x; col < h.cols; col += kThreads) {
    float total = 0.0f;
    for (int g = 0; g < Own::kGroups; ++g) total += outputs[g][col] * moved_by(maxima[g], block_max);
    if (part != nullptr) {
      part[2 + col] = total;
    } else {
      h.out[row * h.cols + col] = block_sum == 0.0f ? 0.0f : total / block_sum;
    }
  }
  if (part != nullptr && threadIdx.x == 0) part[0] = block_max, part[1] = block_sum;
}

/// Block r puts the parts of row r together.
__global__ void __launch_bounds__(kThreads) merge_parts(Heads h, int parts,
                                                        const float* scratch) {  // [rows, parts, 2 + cols]
  const long long row = blockIdx.x;
  const size_t size = part_floats(h.cols);
  const float* of_row = scratch + row * parts * size;
  float row_max = -INFINITY, row_sum = 0.0f;
  for (int p = 0; p < parts; ++p) row_max = fmaxf(row_max, of_row[p * size]);
  for (int p = 0; p < parts; ++p) row_sum += of_row[p * size + 1] * moved_by(of_row[p * size], row_max);
  for (int col = threadIdx.x; col < h.cols; col += kThreads) {
    float total = 0.0f;
    for (int p = 0; p < parts; ++p) total += of_row[p * size + 2 + col] * moved_by(of_row[p * size], row_max);
    h.out[row * h.cols + col] = row_sum == 0.0f ? 0.0f : total / row_sum;
  }
}

template <bool kVectors>
void launch_parts(const Heads& h, dim3 grid, int part_keys, float* scratch) {
  if (h.cols <= 32) {
    attend<8, 4, kVectors><<<grid, kThreads>>>(h, part_keys, scratch);
  } else if (h.cols <= 64) {
    attend<16, 4, kVectors><<<grid, kThreads>>>(h, part_keys, scratch);
  } else if (h.cols <= 128) {
    attend<32, 4, kVectors><<<grid, kThreads>>>(h, part_keys, scratch);
  } else {
    attend<32, 8, kVectors><<<grid, kThreads>>>(h, part_keys, scratch);
  }
}

bool is_aligned(const float* base, long long stride) {
  return reinterpret_cast<uintptr_t>(base) % (kVector * sizeof(float)) == 0 && stride % kVector == 0;
}

constexpr int kFewestKeys = 256;  // of a part: below, a block's work is less than the second launch costs
constexpr int kMostParts = 64;

/// How many blocks share a row: enough to give every multiprocessor four.
int parts_of(const Heads& h, int multiprocessors) {
  const int wanted = 4 * multiprocessors / h.rows;
  const int useful = (h.keys + kFewestKeys - 1) / kFewestKeys;
  const int parts = wanted < useful ? wanted : useful;
  return parts < 1 ? 1 : parts > kMostParts ? kMostParts : parts;
}

cudaError_t launch_all(const Heads& h, int parts, float* scratch) {
  const dim3 grid(h.rows, parts);
  const int part_keys = h.keys / parts;
  const bool vectors = h.cols % kVector == 0 && is_aligned(h.k, h.k_stride) && is_aligned(h.v, h.v_stride);
  if (vectors) launch_parts<true>(h, grid, part_keys, scratch);
  if (!vectors) launch_parts<false>(h, grid, part_keys, scratch);
  WARPBOOK_TRY(cudaGetLastError());
  if (parts > 1) merge_parts<<<h.rows, kThreads>>>(h, parts, scratch);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_attention_row(const float* q,     // [rows, cols]
                                 const float* k,     // [rows * keys, cols], row stride k_stride
                                 const float* v,     // [rows * keys, cols], row stride v_stride
                                 const float* mask,  // [rows, keys], or null
                                 float* out,         // [rows, cols]
                                 int rows, int keys, int cols, float scale, long long k_stride, long long v_stride) {
  if (rows == 0) return cudaSuccess;
  if (cols > kMostCols) return cudaErrorInvalidValue;
  const Heads h = {q, k, v, mask, out, rows, keys, cols, scale, k_stride, v_stride};
  int device = 0, multiprocessors = 0;
  WARPBOOK_TRY(cudaGetDevice(&device));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const int parts = parts_of(h, multiprocessors);
  if (parts == 1) return launch_all(h, 1, nullptr);

  float* scratch = nullptr;
  WARPBOOK_TRY(cudaMallocAsync(&scratch, sizeof(float) * rows * parts * part_floats(cols), nullptr));
  const cudaError_t launched = launch_all(h, parts, scratch);
  const cudaError_t freed = cudaFreeAsync(scratch, nullptr);
  return launched != cudaSuccess ? launched : freed;
}
