// GroupNorm of a batch of images, float in and out: y = (x - mean) / sqrt(var + eps) * gamma_c + beta_c, mean and variance over the
// channels of a group, which are rows that follow one another, and all their pixels.
//
// The idea: a group is a row of channels / groups * cols elements with a line break after every cols of them. While it fits on chip it is
// read once, and then the variance costs no second read: first the mean, then the squared distances from it, as in lesson 07.
//
//   elements of a group     path                     where the group waits             reads of x
//   up to 1024              a warp a group           registers, 2 to 32 a lane         1
//   up to what a block has  a block a group          registers, then shared memory     1
//   beyond                  several blocks a group   nowhere: two numbers a chunk      2
//
// A block holds 16,384 elements in registers and, with the 163 KB of shared memory of compute capability 8.0, 41,696 more; with the 227
// KB of 9.0, 58,080. Beyond, a chunk is what registers hold, so that its mean and its squared distances are exact to rounding; chunks
// are merged by their numbers of elements, as in lesson 08, all at once: the mean of the means first, then what the chunks are away from
// it.
//
// Four elements move at a time where every channel of x and y begins at a multiple of 16 bytes and has a multiple of 4 pixels. Then
// four neighbours belong to one channel, and to one gamma and beta.
//
// Contract: rows = images * channels >= 0, cols >= 1; gamma and beta may each be null; y may be x (then with the stride of x), otherwise
// they do not overlap; strides in elements, at least cols; a group has fewer than 2^31 elements; |x| <= 1e15. A NaN makes its group NaN.
//
// Still bad: dense images of 7 x 7 pixels go element by element although a group of them is contiguous. Few groups of middle length
// keep as many multiprocessors busy as there are groups. In the last path every block of a group merges all its chunks again.
//
// Run it: ./workbook run groupnorm --solution
#include <cuda_runtime.h>

#include <cstdint>

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
constexpr int kHeld = 16;  // elements of a group that a thread of a block keeps in registers

// region divider
/// Division by a number that is the same for a whole launch: one multiplication and a shift in place of some twenty instructions
/// (Granlund and Montgomery 1994). Exact for dividends from 0 to 2^31 - 1.
class Divider {
 public:
  explicit Divider(unsigned divisor) : divisor_(divisor) {
    while ((1ull << shift_) < divisor) ++shift_;
    factor_ = static_cast<unsigned>(((1ull << 32) * ((1ull << shift_) - divisor)) / divisor + 1);
  }
  __device__ unsigned quotient(unsigned n) const { return (__umulhi(n, factor_) + n) >> shift_; }
  __device__ unsigned divisor() const { return divisor_; }

 private:
  unsigned divisor_, factor_ = 0, shift_ = 0;
};
// endregion divider

/// The batch as groups: element i of a group is pixel i % cols of its channel i / cols.
struct Batch {
  const float* x;      // [images * channels, cols], row stride x_stride
  const float* gamma;  // [channels] or null, which means 1
  const float* beta;   // [channels] or null, which means 0
  float* y;            // [images * channels, cols], row stride y_stride; may be x
  Divider cols;
  int groups;             // of an image
  int channels_of_group;  // rows of a group
  int size;               // elements of a group
  float eps;
  long long x_stride, y_stride;  // 64 bits: row * stride passes 2^31 long before memory ends
};

/// kWidth neighbours of one channel, moved by one load or store.
template <int kWidth>
struct Pack;
template <>
struct Pack<1> {
  float at[1];
};
template <>
struct alignas(16) Pack<4> {
  float at[4];
};

// region group
/// One group as a kernel sees it.
template <int kWidth>
class Group {
 public:
  __device__ Group(const Batch& batch, long long index)
      : b_(batch),
        first_row_(index * batch.channels_of_group),
        first_channel_(static_cast<int>(index % batch.groups) * batch.channels_of_group) {}

  /// Elements i to i + kWidth - 1.
  __device__ Pack<kWidth> load(int i) const {
    const unsigned channel = b_.cols.quotient(i);
    const float* place = b_.x + (first_row_ + channel) * b_.x_stride + (i - channel * b_.cols.divisor());
    return *reinterpret_cast<const Pack<kWidth>*>(place);
  }

  /// Writes the normalised form of these elements, scaled and shifted by their channel.
  __device__ void store(int i, const Pack<kWidth>& v, float mean, float scale) const {
    const unsigned channel = b_.cols.quotient(i);
    const float weight = b_.gamma == nullptr ? 1.0f : b_.gamma[first_channel_ + channel];
    const float shift = b_.beta == nullptr ? 0.0f : b_.beta[first_channel_ + channel];
    Pack<kWidth> out;
#pragma unroll
    for (int k = 0; k < kWidth; ++k) out.at[k] = (v.at[k] - mean) * scale * weight + shift;
    *reinterpret_cast<Pack<kWidth>*>(b_.y + (first_row_ + channel) * b_.y_stride + (i - channel * b_.cols.divisor())) = out;
  }

 private:
  const Batch& b_;
  long long first_row_;
  int first_channel_;
};

template <int kWidth>
__device__ __forceinline__ float sum_of(const Pack<kWidth>& v) {
  float sum = Sum::identity();
#pragma unroll
  for (int k = 0; k < kWidth; ++k) sum += v.at[k];
  return sum;
}

template <int kWidth>
__device__ __forceinline__ float squares_of(const Pack<kWidth>& v, float mean) {
  float squares = Sum::identity();
#pragma unroll
  for (int k = 0; k < kWidth; ++k) squares += (v.at[k] - mean) * (v.at[k] - mean);
  return squares;
}
// endregion group

// ---- up to 1024 elements: a warp a group -------------------------------------------------------------------------------------

constexpr int kWarpGroupSize = 1024;
constexpr int kGroupsPerBlock = 4;

// region warp_group
/// The group waits in registers; slots beyond it take part in nothing. No shared memory, no barrier.
template <int kWidth, int kSlots>
__global__ void __launch_bounds__(kGroupsPerBlock* kWarpSize) normalise_by_warp(Batch b, long long count) {
  const int lane = threadIdx.x % kWarpSize;
  const long long index = static_cast<long long>(blockIdx.x) * kGroupsPerBlock + threadIdx.x / kWarpSize;
  if (index >= count) return;  // a whole warp leaves, and no barrier waits for it
  const Group<kWidth> group(b, index);
  const auto element = [&](int slot) { return (lane + slot * kWarpSize) * kWidth; };

  Pack<kWidth> held[kSlots];
  float sum = Sum::identity();
#pragma unroll
  for (int i = 0; i < kSlots; ++i) {
    if (element(i) >= b.size) continue;
    held[i] = group.load(element(i));
    sum += sum_of(held[i]);
  }
  const float mean = warp_reduce<Sum>(sum) / b.size;

  float squares = Sum::identity();
#pragma unroll
  for (int i = 0; i < kSlots; ++i) {
    if (element(i) < b.size) squares += squares_of(held[i], mean);
  }
  const float scale = rsqrtf(warp_reduce<Sum>(squares) / b.size + b.eps);
  WATCH(mean);
  WATCH(scale);

#pragma unroll
  for (int i = 0; i < kSlots; ++i) {
    if (element(i) < b.size) group.store(element(i), held[i], mean, scale);
  }
}
// endregion warp_group

/// By few slots that hold the group: 1, 2, 4 or 8 of four elements, or 2, 8 or 32 of one.
template <int kWidth, int kSlots = kWidth == 1 ? 2 : 1>
cudaError_t launch_by_warp(const Batch& b, long long count) {
  constexpr int kHolds = kSlots * kWidth * kWarpSize;
  constexpr int kMoreSlots = kSlots * (kWidth == 1 ? 4 : 2);
  if constexpr (kHolds < kWarpGroupSize) {
    if (b.size > kHolds) return launch_by_warp<kWidth, kMoreSlots>(b, count);
  }
  const auto blocks = static_cast<unsigned>((count - 1) / kGroupsPerBlock + 1);
  normalise_by_warp<kWidth, kSlots><<<blocks, kGroupsPerBlock * kWarpSize>>>(b, count);
  return cudaGetLastError();
}

// ---- up to what a multiprocessor holds: a block a group --------------------------------------------------------------------

constexpr int kFewestThreads = 128;

// region block_group
/// The first blockDim.x * kHeld elements wait in registers, the rest in shared memory, where every thread reads back only what it
/// wrote itself: the group needs no barrier.
template <int kWidth>
__global__ void __launch_bounds__(kMostThreads) normalise_by_block(Batch b) {
  extern __shared__ uint4 shared[];  // float [kMaxWarps], then the packs that registers do not hold
  float* partials = reinterpret_cast<float*>(shared);
  auto* staged = reinterpret_cast<Pack<kWidth>*>(partials + kMaxWarps);
  constexpr int kSlots = kHeld / kWidth;
  const int threads = blockDim.x;
  const int packs = b.size / kWidth;
  const int in_registers = threads * kSlots;
  const Group<kWidth> group(b, blockIdx.x);

  Pack<kWidth> held[kSlots];
  float sum = Sum::identity();
#pragma unroll
  for (int i = 0; i < kSlots; ++i) {
    const int pack = threadIdx.x + i * threads;
    if (pack >= packs) continue;
    held[i] = group.load(pack * kWidth);
    sum += sum_of(held[i]);
  }
  for (int pack = in_registers + threadIdx.x; pack < packs; pack += threads) {
    const Pack<kWidth> v = group.load(pack * kWidth);
    staged[pack - in_registers] = v;
    sum += sum_of(v);
  }
  const float mean = block_reduce<Sum>(sum, partials) / b.size;

  float squares = Sum::identity();
#pragma unroll
  for (int i = 0; i < kSlots; ++i) {
    if (threadIdx.x + i * threads < packs) squares += squares_of(held[i], mean);
  }
  for (int pack = in_registers + threadIdx.x; pack < packs; pack += threads) squares += squares_of(staged[pack - in_registers], mean);
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / b.size + b.eps);
  WATCH(mean);
  WATCH(scale);

#pragma unroll
  for (int i = 0; i < kSlots; ++i) {
    const int pack = threadIdx.x + i * threads;
    if (pack < packs) group.store(pack * kWidth, held[i], mean, scale);
  }
  for (int pack = in_registers + threadIdx.x; pack < packs; pack += threads) {
    group.store(pack * kWidth, staged[pack - in_registers], mean, scale);
  }
}
// endregion block_group

/// The smallest block whose registers hold the group, or the largest there is.
int threads_for(int size) {
  int threads = kFewestThreads;
  while (threads < kMostThreads && threads * kHeld < size) threads *= 2;
  return threads;
}

size_t shared_bytes_for(int size) {
  const int in_registers = threads_for(size) * kHeld;
  const size_t staged = size > in_registers ? size - in_registers : 0;
  return (kMaxWarps + staged) * sizeof(float);
}

template <int kWidth>
cudaError_t launch_by_block(const Batch& b, long long count) {
  const size_t bytes = shared_bytes_for(b.size);
  // Beyond 48 KB a kernel has to ask; without this the launch fails and y stays as it was.
  WARPBOOK_TRY(cudaFuncSetAttribute(normalise_by_block<kWidth>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  normalise_by_block<kWidth><<<static_cast<unsigned>(count), threads_for(b.size), bytes>>>(b);
  return cudaGetLastError();
}

// ---- beyond: several blocks a group, two reads -----------------------------------------------------------------------------

constexpr int kChunkSize = kMostThreads * kHeld;  // what registers hold; the last chunk of a group may be shorter

/// What a chunk tells the others; how many elements it has follows from its number.
struct Moments {
  float mean;
  float squares;  // sum of squared distances from that mean
};

__device__ int elements_of_chunk(int chunk, int size) { return min(kChunkSize, size - chunk * kChunkSize); }

// region split
/// Block (c, g) finds the moments of chunk c of group g, both from registers.
template <int kWidth>
__global__ void __launch_bounds__(kMostThreads) measure_chunk(Batch b, int chunks,
                                                              Moments* moments) {  // [groups of the batch, chunks]
  __shared__ float partials[kMaxWarps];
  constexpr int kSlots = kHeld / kWidth;
  const int chunk = blockIdx.x % chunks;
  const int elements = elements_of_chunk(chunk, b.size);
  const Group<kWidth> group(b, blockIdx.x / chunks);
  const auto element = [&](int slot) { return (static_cast<int>(threadIdx.x) + slot * kMostThreads) * kWidth; };

  Pack<kWidth> held[kSlots];
  float sum = Sum::identity();
#pragma unroll
  for (int i = 0; i < kSlots; ++i) {
    if (element(i) >= elements) continue;
    held[i] = group.load(chunk * kChunkSize + element(i));
    sum += sum_of(held[i]);
  }
  const float mean = block_reduce<Sum>(sum, partials) / elements;

  float squares = Sum::identity();
#pragma unroll
  for (int i = 0; i < kSlots; ++i) {
    if (element(i) < elements) squares += squares_of(held[i], mean);
  }
  squares = block_reduce<Sum>(squares, partials);
  WATCH(mean);
  WATCH(squares);
  if (threadIdx.x == 0) moments[blockIdx.x] = {mean, squares};
}

/// Block (c, g) merges the moments of group g, then writes chunk c. The mean of the group is the mean of the means, weighted by elements;
/// squared distances from a chunk's own mean lack that mean's distance from the group's, once for each element.
template <int kWidth>
__global__ void __launch_bounds__(kMostThreads) normalise_chunk(Batch b, int chunks,
                                                                const Moments* moments) {  // [groups of the batch, chunks]
  __shared__ float partials[kMaxWarps];
  const int chunk = blockIdx.x % chunks;
  const Moments* of_group = moments + (blockIdx.x - chunk);

  float sum = Sum::identity();
  for (int c = threadIdx.x; c < chunks; c += kMostThreads) sum += of_group[c].mean * elements_of_chunk(c, b.size);
  const float mean = block_reduce<Sum>(sum, partials) / b.size;

  float squares = Sum::identity();
  for (int c = threadIdx.x; c < chunks; c += kMostThreads) {
    const float away = of_group[c].mean - mean;
    squares += of_group[c].squares + away * away * elements_of_chunk(c, b.size);
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / b.size + b.eps);
  WATCH(mean);
  WATCH(scale);

  const Group<kWidth> group(b, blockIdx.x / chunks);
  const int first = chunk * kChunkSize, last = first + elements_of_chunk(chunk, b.size);
  for (int i = first + threadIdx.x * kWidth; i < last; i += kMostThreads * kWidth) group.store(i, group.load(i), mean, scale);
}

template <int kWidth>
cudaError_t launch_both_kernels(const Batch& b, unsigned blocks, int chunks, Moments* moments) {
  measure_chunk<kWidth><<<blocks, kMostThreads>>>(b, chunks, moments);
  WARPBOOK_TRY(cudaGetLastError());
  normalise_chunk<kWidth><<<blocks, kMostThreads>>>(b, chunks, moments);
  return cudaGetLastError();
}

/// The scratch memory comes and goes in the order of the stream: nothing waits for the device.
template <int kWidth>
cudaError_t launch_split(const Batch& b, long long count) {
  const int chunks = (b.size - 1) / kChunkSize + 1;
  const auto blocks = static_cast<unsigned>(count * chunks);
  constexpr cudaStream_t kStream = nullptr;
  Moments* moments = nullptr;  // [count, chunks]
  WARPBOOK_TRY(cudaMallocAsync(reinterpret_cast<void**>(&moments), sizeof(Moments) * blocks, kStream));
  const cudaError_t launched = launch_both_kernels<kWidth>(b, blocks, chunks, moments);
  const cudaError_t freed = cudaFreeAsync(moments, kStream);
  return launched != cudaSuccess ? launched : freed;
}
// endregion split

// region choice
template <int kWidth>
cudaError_t launch_by_size(const Batch& b, long long count) {
  if (b.size <= kWarpGroupSize) return launch_by_warp<kWidth>(b, count);
  int device = 0, shared_limit = 0;
  WARPBOOK_TRY(cudaGetDevice(&device));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&shared_limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  if (shared_bytes_for(b.size) <= static_cast<size_t>(shared_limit)) return launch_by_block<kWidth>(b, count);
  return launch_split<kWidth>(b, count);
}

bool starts_on_vector(const void* place) { return reinterpret_cast<std::uintptr_t>(place) % 16 == 0; }
// endregion choice

}  // namespace

cudaError_t launch_groupnorm(const float* x,      // [rows, cols], row stride x_stride
                             const float* gamma,  // [channels] or null
                             const float* beta,   // [channels] or null
                             float* y,            // [rows, cols], row stride y_stride
                             int rows, int cols, int channels, int groups, float eps, long long x_stride, long long y_stride) {
  if (rows == 0) return cudaSuccess;
  const int channels_of_group = channels / groups;
  const Batch b = {x,   gamma,    beta,    y, Divider(static_cast<unsigned>(cols)), groups, channels_of_group, channels_of_group * cols,
                   eps, x_stride, y_stride};
  const long long count = rows / channels_of_group;  // groups of the whole batch
  const bool vectors = cols % 4 == 0 && x_stride % 4 == 0 && y_stride % 4 == 0 && starts_on_vector(x) && starts_on_vector(y);
  return vectors ? launch_by_size<4>(b, count) : launch_by_size<1>(b, count);
}
