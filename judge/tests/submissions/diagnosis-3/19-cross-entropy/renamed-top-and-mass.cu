// mistake-of: one-outside-the-scale
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using namespace warpbook::kernel;

constexpr int kBlock = 256;
constexpr int kSkip = -100;

struct Seen {
  float top, mass;
};

__device__ Seen add(Seen s, float v) {
  if (v == -INFINITY) return s;
  const float t = fmaxf(s.top, v);
  return {t, s.mass * expf(s.top - t) + expf(v - t)};
}

__device__ Seen combine(Seen s, float* room) {
  const float t = block_reduce<Max>(s.top, room);
  return {t, block_reduce<Sum>(s.mass * expf(s.top - t), room)};
}

__global__ void nll(const float* __restrict__ scores, const int* __restrict__ labels, float* __restrict__ cost, float* __restrict__ slope,
                    int width, float factor) {
  __shared__ float room[kMaxWarps];
  const float* s = scores + static_cast<size_t>(blockIdx.x) * width;
  float* d = slope + static_cast<size_t>(blockIdx.x) * width;
  const int label = labels[blockIdx.x];

  if (label < 0 || label >= width) {
    const float fill = label == kSkip ? 0.0f : NAN;
    for (int c = threadIdx.x; c < width; c += blockDim.x) d[c] = fill;
    if (threadIdx.x == 0) cost[blockIdx.x] = fill;
    return;
  }

  Seen own = {-INFINITY, 0.0f};
  for (int c = threadIdx.x; c < width; c += blockDim.x) own = add(own, s[c]);
  const Seen line = combine(own, room);

  for (int c = threadIdx.x; c < width; c += blockDim.x) {
    const float p = expf(s[c] - line.top) / line.mass;
    if (c == label) {
      d[c] = p * factor - 1.0f;
      cost[blockIdx.x] = (line.top - s[c]) + logf(line.mass);
    } else {
      d[c] = p * factor;
    }
  }
}

}  // namespace

cudaError_t launch_cross_entropy(const float* logits, const int* targets, float* loss, float* gradient, int rows, int cols, float scale) {
  nll<<<rows, kBlock>>>(logits, targets, loss, gradient, cols, scale);
  return cudaGetLastError();
}
