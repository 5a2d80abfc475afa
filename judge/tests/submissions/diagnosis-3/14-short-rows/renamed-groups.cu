// mistake-of: gaps-hold-zero
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using namespace warpbook::kernel;

constexpr int kBlock = 128;

template <int kGroup, class Fold>
__device__ float fold_group(float v) {
  for (int gap = kGroup >> 1; gap >= 1; gap >>= 1) v = Fold::combine(v, __shfl_xor_sync(kAllLanes, v, gap));
  return v;
}

template <int kGroup>
__global__ void group_softmax(const float* __restrict__ in, float* __restrict__ out, int height, int width) {
  const int member = threadIdx.x % kGroup;
  const int line = blockIdx.x * (kBlock / kGroup) + threadIdx.x / kGroup;
  const bool mine = line < height && member < width;
  const size_t pos = static_cast<size_t>(line) * width + member;

  float score = 0.0f;
  if (mine) score = in[pos];

  const float peak = fold_group<kGroup, Max>(score);
  const float e = score == -INFINITY ? 0.0f : expf(score - peak);
  const float mass = fold_group<kGroup, Sum>(e);

  if (mine) {
    if (mass == 0.0f) {
      out[pos] = 0.0f;
    } else {
      out[pos] = e / mass;
    }
  }
}

template <int kGroup>
cudaError_t start(const float* in, float* out, int height, int width) {
  constexpr int kLines = kBlock / kGroup;
  group_softmax<kGroup><<<(height - 1) / kLines + 1, kBlock>>>(in, out, height, width);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols > 32) return cudaErrorInvalidValue;
  if (cols > 16) return start<32>(x, y, rows, cols);
  if (cols > 8) return start<16>(x, y, rows, cols);
  return start<8>(x, y, rows, cols);
}
