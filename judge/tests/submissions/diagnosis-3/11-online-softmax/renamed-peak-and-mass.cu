// mistake-of: moves-one-side
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::kAllLanes;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::kWarpSize;

constexpr int kBlock = 256;

struct Piece {
  float peak;
  float mass;
};

__device__ Piece blank_piece() { return {-INFINITY, 0.0f}; }

__device__ Piece append(Piece p, float v) {
  if (v == -INFINITY) return p;
  const float top = fmaxf(p.peak, v);
  return {top, p.mass * expf(p.peak - top) + expf(v - top)};
}

__device__ Piece join(Piece left, Piece right) {
  const float top = fmaxf(left.peak, right.peak);
  if (top == -INFINITY) return {top, left.mass + right.mass};
  return {top, left.mass + right.mass * expf(right.peak - top)};
}

__device__ Piece join_warp(Piece p) {
  for (int step = kWarpSize / 2; step > 0; step >>= 1) {
    Piece q;
    q.peak = __shfl_xor_sync(kAllLanes, p.peak, step);
    q.mass = __shfl_xor_sync(kAllLanes, p.mass, step);
    p = join(p, q);
  }
  p.peak = __shfl_sync(kAllLanes, p.peak, 0);
  p.mass = __shfl_sync(kAllLanes, p.mass, 0);
  return p;
}

__device__ Piece join_block(Piece p, Piece* slots) {
  const int l = threadIdx.x & 31;
  const int w = threadIdx.x >> 5;
  p = join_warp(p);
  if (l == 0) slots[w] = p;
  __syncthreads();
  p = l < static_cast<int>(blockDim.x >> 5) ? slots[l] : blank_piece();
  return join_warp(p);
}

__global__ void row_softmax(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ Piece slots[kMaxWarps];
  const float* src = in + static_cast<size_t>(blockIdx.x) * n;
  float* dst = out + static_cast<size_t>(blockIdx.x) * n;

  Piece own = blank_piece();
  for (int i = threadIdx.x; i < n; i += blockDim.x) own = append(own, src[i]);
  const Piece whole = join_block(own, slots);

  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float r = 0.0f;
    if (whole.mass != 0.0f && src[i] != -INFINITY) r = expf(src[i] - whole.peak) / whole.mass;
    dst[i] = r;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  row_softmax<<<rows, kBlock>>>(x, y, cols);
  return cudaGetLastError();
}
