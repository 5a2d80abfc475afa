// mistake-of: stops-short-of-p
#include <cuda_runtime.h>
#include <limits.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using namespace warpbook::kernel;

constexpr int kBlock = 128;
constexpr int kList = 64;

struct Entry {
  float score;
  int id;
};

__device__ Entry nobody() { return {-INFINITY, INT_MAX}; }

__device__ bool precedes(Entry p, Entry q) {
  if (p.score != q.score) return p.score > q.score;
  return p.id < q.id;
}

__device__ Entry next_own(Entry previous, const float* scores, int width) {
  Entry top = nobody();
  for (int c = threadIdx.x; c < width; c += blockDim.x) {
    const Entry e = {scores[c], c};
    if (!(e.score > -INFINITY)) continue;
    if (precedes(previous, e) && precedes(e, top)) top = e;
  }
  return top;
}

__device__ Entry top_of_warp(Entry e) {
  for (int d = kWarpSize / 2; d > 0; d /= 2) {
    Entry f;
    f.score = __shfl_xor_sync(kAllLanes, e.score, d);
    f.id = __shfl_xor_sync(kAllLanes, e.id, d);
    if (precedes(f, e)) e = f;
  }
  return e;
}

__device__ Entry top_of_block(Entry e, Entry* room) {
  const int l = threadIdx.x % kWarpSize;
  const int w = threadIdx.x / kWarpSize;
  e = top_of_warp(e);
  if (l == 0) room[w] = e;
  __syncthreads();
  e = top_of_warp(l < kBlock / kWarpSize ? room[l] : nobody());
  __syncthreads();
  return e;
}

__device__ int nucleus(const float* mass, int size, float all, float p) {
  if (p >= 1.0f) return size;
  int taken = 1;
  float acc = mass[0];
  while (taken < size && acc + mass[taken] < p * all) {
    acc += mass[taken];
    ++taken;
  }
  return taken;
}

__device__ int pick(const float* mass, int taken, float u) {
  float all = 0.0f;
  for (int i = 0; i < taken; ++i) all += mass[i];
  float acc = 0.0f;
  for (int i = 0; i < taken - 1; ++i) {
    acc += mass[i];
    if (acc > u * all) return i;
  }
  return taken - 1;
}

__global__ void choose_token(const float* __restrict__ in, const float* __restrict__ dice, int* __restrict__ chosen,
                             int* __restrict__ sizes, int width, int k, float p) {
  __shared__ Entry room[kMaxWarps];
  __shared__ Entry list[kList];
  const float* scores = in + static_cast<size_t>(blockIdx.x) * width;

  Entry own = next_own({INFINITY, -1}, scores, width);
  int size = 0;
  for (; size < k; ++size) {
    const Entry first = top_of_block(own, room);
    if (first.id == INT_MAX) break;
    if (threadIdx.x == 0) list[size] = first;
    if (own.id == first.id) own = next_own(first, scores, width);
  }

  if (threadIdx.x > 0) return;
  if (size == 0) {
    sizes[blockIdx.x] = 0;
    chosen[blockIdx.x] = -1;
    return;
  }
  float mass[kList];
  float all = 0.0f;
  for (int i = 0; i < size; ++i) {
    mass[i] = expf(list[i].score - list[0].score);
    all += mass[i];
  }
  const int taken = nucleus(mass, size, all, p);
  sizes[blockIdx.x] = taken;
  chosen[blockIdx.x] = list[pick(mass, taken, dice[blockIdx.x])].id;
}

}  // namespace

cudaError_t launch_sample(const float* logits, const float* uniform, int* token, int* kept, int rows, int cols, int k, float p) {
  if (k < 1 || k > kList) return cudaErrorInvalidValue;
  choose_token<<<rows, kBlock>>>(logits, uniform, token, kept, cols, k, p);
  return cudaGetLastError();
}
