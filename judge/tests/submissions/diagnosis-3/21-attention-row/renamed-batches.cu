// mistake-of: sum-not-moved
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using namespace warpbook::kernel;

constexpr int kBatch = kWarpSize;
constexpr int kWidest = 1024;

struct State {
  float peak;
  float mass;
  float acc;
};

__device__ void raise(State& s, float peak) {
  if (peak == -INFINITY) return;
  const float shrink = expf(s.peak - peak);
  s.acc *= shrink;
  s.peak = peak;
}

__device__ void rate_batch(const float* asked, const float* offered, const float* bias, float* rating, int n, int width) {
  const int l = threadIdx.x % kWarpSize;
  for (int b = threadIdx.x / kWarpSize; b < kBatch; b += blockDim.x / kWarpSize) {
    float r = -INFINITY;
    if (b < n) {
      const float* one = offered + static_cast<size_t>(b) * width;
      float product = 0.0f;
      for (int c = l; c < width; c += kWarpSize) product += asked[c] * one[c];
      r = warp_reduce<Sum>(product);
      if (l == 0 && bias) r += bias[b];
    }
    if (l == 0) rating[b] = r;
  }
}

__global__ void look_up(const float* __restrict__ queries, const float* __restrict__ keys, const float* __restrict__ values,
                        const float* __restrict__ bias, float* __restrict__ out, int length, int width, float factor) {
  __shared__ float asked[kWidest];
  __shared__ float rating[kBatch];
  const int l = threadIdx.x % kWarpSize;
  const int c = threadIdx.x;
  const size_t r = blockIdx.x;
  const float* my_keys = keys + r * length * width;
  const float* my_values = values + r * length * width;
  const float* my_bias = bias ? bias + r * length : nullptr;

  if (c < width) asked[c] = queries[r * width + c] * factor;
  __syncthreads();

  State s = {-INFINITY, 0.0f, 0.0f};
  for (int base = 0; base < length; base += kBatch) {
    const int n = min(kBatch, length - base);
    rate_batch(asked, my_keys + static_cast<size_t>(base) * width, my_bias ? my_bias + base : nullptr, rating, n, width);
    __syncthreads();
    const float mine = rating[l];
    __syncthreads();

    raise(s, fmaxf(s.peak, warp_reduce<Max>(mine)));
    const float e = mine == -INFINITY ? 0.0f : expf(mine - s.peak);
    s.mass += warp_reduce<Sum>(e);
    for (int b = 0; b < n; ++b) {
      const float portion = __shfl_sync(kAllLanes, e, b);
      if (c < width) s.acc += portion * my_values[static_cast<size_t>(base + b) * width + c];
    }
  }

  if (c >= width) return;
  out[r * width + c] = s.mass == 0.0f ? 0.0f : s.acc / s.mass;
}

}  // namespace

cudaError_t launch_attention_row(const float* q, const float* k, const float* v, const float* mask, float* out, int rows, int keys,
                                 int cols, float scale) {
  if (cols > kWidest) return cudaErrorInvalidValue;
  const int block = ((cols - 1) / kWarpSize + 1) * kWarpSize;
  look_up<<<rows, block>>>(q, k, v, mask, out, keys, cols, scale);
  return cudaGetLastError();
}
