// mistake-of: few-rows-first
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"

namespace {

using namespace warpbook::kernel;

constexpr int kSmallBlock = 128;
constexpr int kBigBlock = 512;
constexpr int kMostInRegisters = 1024;
constexpr int kLongRow = 16384;
constexpr int kSmsPerRow = 16;
constexpr int kMostPieces = 32;

__device__ float share(float v, float top) { return v == -INFINITY ? 0.0f : expf(v - top); }
__device__ float reciprocal(float d) { return d == 0.0f ? 0.0f : 1.0f / d; }

template <int kGroup, int kEach>
__global__ void __launch_bounds__(kSmallBlock) by_groups(const float* __restrict__ in, float* __restrict__ out, int height, int width) {
  const int line = blockIdx.x * (kSmallBlock / kGroup) + threadIdx.x / kGroup;
  const int member = threadIdx.x % kGroup;
  const size_t origin = static_cast<size_t>(line) * width;
  float mine[kEach];
  float top = -INFINITY;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int c = member + k * kGroup;
    mine[k] = line < height && c < width ? in[origin + c] : -INFINITY;
    top = fmaxf(top, mine[k]);
  }
  for (int d = kGroup / 2; d > 0; d /= 2) top = fmaxf(top, __shfl_xor_sync(kAllLanes, top, d));
  float all = 0.0f;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    mine[k] = share(mine[k], top);
    all += mine[k];
  }
  for (int d = kGroup / 2; d > 0; d /= 2) all += __shfl_xor_sync(kAllLanes, all, d);
  const float factor = reciprocal(all);
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int c = member + k * kGroup;
    if (line < height && c < width) out[origin + c] = mine[k] * factor;
  }
}

template <int kGroup, int kEach>
cudaError_t start_groups(const float* in, float* out, int height, int width) {
  constexpr int kLines = kSmallBlock / kGroup;
  by_groups<kGroup, kEach><<<(height + kLines - 1) / kLines, kSmallBlock>>>(in, out, height, width);
  return cudaGetLastError();
}

__global__ void by_shared_row(const float* __restrict__ in, float* __restrict__ out, int width) {
  extern __shared__ float room[];
  float* row = room + kMaxWarps;
  const size_t origin = static_cast<size_t>(blockIdx.x) * width;
  float top = -INFINITY;
  for (int c = threadIdx.x; c < width; c += blockDim.x) {
    row[c] = in[origin + c];
    top = fmaxf(top, row[c]);
  }
  top = block_reduce<Max>(top, room);
  float all = 0.0f;
  for (int c = threadIdx.x; c < width; c += blockDim.x) {
    row[c] = share(row[c], top);
    all += row[c];
  }
  const float factor = reciprocal(block_reduce<Sum>(all, room));
  for (int c = threadIdx.x; c < width; c += blockDim.x) out[origin + c] = row[c] * factor;
}

size_t room_for(int width) { return sizeof(float) * (static_cast<size_t>(width) + kMaxWarps); }

cudaError_t start_shared_row(const float* in, float* out, int height, int width) {
  const size_t room = room_for(width);
  WARPBOOK_TRY(cudaFuncSetAttribute(by_shared_row, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(room)));
  by_shared_row<<<height, kBigBlock, room>>>(in, out, width);
  return cudaGetLastError();
}

struct Half {
  float top, all;
};

__device__ float lowered(Half h, float top) { return h.top == -INFINITY ? h.all : h.all * expf(h.top - top); }

__device__ Half together(Half h, float* room) {
  const float top = block_reduce<Max>(h.top, room);
  return {top, block_reduce<Sum>(lowered(h, top), room)};
}

__device__ int piece(int number, int width) {
  const int length = (width - 1) / static_cast<int>(gridDim.y) + 1;
  return min(width, number * length);
}

__global__ void pieces_look(const float* __restrict__ in, float* __restrict__ out, int width) {
  __shared__ float room[kMaxWarps];
  const size_t origin = static_cast<size_t>(blockIdx.x) * width;
  Half h = {-INFINITY, 0.0f};
  const int stop = piece(blockIdx.y + 1, width);
  for (int c = piece(blockIdx.y, width) + threadIdx.x; c < stop; c += blockDim.x) {
    const float v = in[origin + c];
    if (v > h.top) h = {v, lowered(h, v)};
    h.all += share(v, h.top);
  }
  const Half whole = together(h, room);
  if (threadIdx.x < gridDim.y) {
    float* note = out + origin + piece(threadIdx.x, width) + 2 * blockIdx.y;
    note[0] = whole.top;
    note[1] = whole.all;
  }
}

__global__ void pieces_write(const float* __restrict__ in, float* out, int width) {
  __shared__ float room[kMaxWarps];
  const size_t origin = static_cast<size_t>(blockIdx.x) * width;
  const int start = piece(blockIdx.y, width), stop = piece(blockIdx.y + 1, width);
  Half h = {-INFINITY, 0.0f};
  if (threadIdx.x < gridDim.y) {
    const float* note = out + origin + start + 2 * threadIdx.x;
    h = {note[0], note[1]};
  }
  const Half whole = together(h, room);
  const float factor = reciprocal(whole.all);
  for (int c = start + threadIdx.x; c < stop; c += blockDim.x) out[origin + c] = share(in[origin + c], whole.top) * factor;
}

cudaError_t start_pieces(const float* in, float* out, int height, int width, int sms) {
  if (width <= kMostInRegisters) return cudaErrorInvalidValue;
  int count = 2 * sms / height;
  if (count > width / kMostInRegisters) count = width / kMostInRegisters;
  if (count > kMostPieces) count = kMostPieces;
  if (count < 1) count = 1;
  const dim3 grid(height, count);
  pieces_look<<<grid, kBigBlock>>>(in, out, width);
  WARPBOOK_TRY(cudaGetLastError());
  pieces_write<<<grid, kBigBlock>>>(in, out, width);
  return cudaGetLastError();
}

enum class Way { kGroups8, kWholeWarp, kSharedRow, kPieces };

Way way_for(int height, int width, int sms, int limit) {
  if (height <= sms / kSmsPerRow) return Way::kPieces;
  if (width <= kWarpSize) return Way::kGroups8;
  if (width <= kMostInRegisters) return Way::kWholeWarp;
  return room_for(width) <= static_cast<size_t>(limit) ? Way::kSharedRow : Way::kPieces;
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  int gpu = 0, sms = 0, limit = 0;
  WARPBOOK_TRY(cudaGetDevice(&gpu));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, gpu));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu));
  const Way way = way_for(rows, cols, sms, limit);
  if (way == Way::kGroups8) return cols <= 8 ? start_groups<8, 1>(x, y, rows, cols) : start_groups<8, 4>(x, y, rows, cols);
  if (way == Way::kWholeWarp) return cols <= 256 ? start_groups<32, 8>(x, y, rows, cols) : start_groups<32, 32>(x, y, rows, cols);
  if (way == Way::kSharedRow) return start_shared_row(x, y, rows, cols);
  return start_pieces(x, y, rows, cols, sms);
}
