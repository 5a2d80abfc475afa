// mistake-of: old-distance-twice
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::kAllLanes;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::kWarpSize;

constexpr int kThreads = 256;

struct Moments {
  float count;
  float mean;
  float m2;
};

__device__ Moments merge(Moments a, Moments b) {
  const float count = a.count + b.count;
  if (count == 0.0f) return a;
  const float delta = b.mean - a.mean;
  const float share = b.count / count;
  return {count, a.mean + delta * share, a.m2 + b.m2 + delta * delta * a.count * share};
}

__device__ Moments warp_merge(Moments part) {
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    const Moments other = {__shfl_xor_sync(kAllLanes, part.count, offset), __shfl_xor_sync(kAllLanes, part.mean, offset),
                           __shfl_xor_sync(kAllLanes, part.m2, offset)};
    part = merge(part, other);
  }
  return part;
}

__device__ Moments block_merge(Moments part, Moments* parts) {
  const int lane = threadIdx.x % kWarpSize;
  const int warps = blockDim.x / kWarpSize;
  part = warp_merge(part);
  if (lane == 0) parts[threadIdx.x / kWarpSize] = part;
  __syncthreads();
  part = warp_merge(lane < warps ? parts[lane] : Moments{0.0f, 0.0f, 0.0f});
  return {__shfl_sync(kAllLanes, part.count, 0), __shfl_sync(kAllLanes, part.mean, 0), __shfl_sync(kAllLanes, part.m2, 0)};
}

// Thread t takes a piece of neighbouring columns and goes through it from behind.
__global__ void layernorm_kernel(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
                                 float* __restrict__ y, int cols, float eps) {
  __shared__ Moments parts[kMaxWarps];
  const float* in = x + static_cast<size_t>(blockIdx.x) * cols;
  float* out = y + static_cast<size_t>(blockIdx.x) * cols;

  const int piece = (cols + kThreads - 1) / kThreads;
  const int begin = threadIdx.x * piece;
  int col = min(cols, begin + piece) - 1;
  Moments mine = {0.0f, 0.0f, 0.0f};
  while (col >= begin) {
    const float delta = in[col] - mine.mean;
    mine.count += 1.0f;
    mine.mean += delta / mine.count;
    mine.m2 += delta * delta;
    --col;
  }
  const Moments row = block_merge(mine, parts);
  const float scale = rsqrtf(row.m2 / cols + eps);
  WATCH(scale);

  col = cols - 1 - static_cast<int>(threadIdx.x);
  while (col >= 0) {
    out[col] = (in[col] - row.mean) * scale * gamma[col] + beta[col];
    col -= kThreads;
  }
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  layernorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
