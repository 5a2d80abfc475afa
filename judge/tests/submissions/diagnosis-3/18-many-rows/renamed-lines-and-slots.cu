// mistake-of: beta-needs-gamma
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using namespace warpbook::kernel;

constexpr int kWarpsPerBlock = 4;
constexpr int kSlots = 4;
constexpr int kWidest = kWarpSize * kSlots;
constexpr int kBlockLimit = 64;

__device__ void treat_line(const float* src, const float* mul, const float* add, float* dst, int width, float eps) {
  const int l = threadIdx.x % kWarpSize;
  float slot[kSlots];
  float acc = 0.0f;
#pragma unroll
  for (int k = 0; k < kSlots; ++k) {
    const int c = l + k * kWarpSize;
    slot[k] = c < width ? src[c] : 0.0f;
    acc += slot[k];
  }
  const float mu = warp_reduce<Sum>(acc) / width;
  acc = 0.0f;
#pragma unroll
  for (int k = 0; k < kSlots; ++k) {
    if (l + k * kWarpSize >= width) continue;
    slot[k] -= mu;
    acc += slot[k] * slot[k];
  }
  const float inv = rsqrtf(warp_reduce<Sum>(acc) / width + eps);
#pragma unroll
  for (int k = 0; k < kSlots; ++k) {
    const int c = l + k * kWarpSize;
    if (c >= width) continue;
    float v = slot[k] * inv;
    if (mul != nullptr) {
      v *= mul[c];
      if (add != nullptr) v += add[c];
    }
    dst[c] = v;
  }
}

__global__ void all_lines(const float* in, const float* mul, const float* add, float* out, int height, int width, long long in_step,
                          long long out_step, float eps) {
  const long long hop = static_cast<long long>(gridDim.x) * kWarpsPerBlock;
  long long line = static_cast<long long>(blockIdx.x) * kWarpsPerBlock + threadIdx.x / kWarpSize;
  for (; line < height; line += hop) treat_line(in + line * in_step, mul, add, out + line * out_step, width, eps);
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, long long x_stride,
                             long long y_stride, float eps) {
  if (cols > kWidest) return cudaErrorInvalidValue;
  if (rows == 0) return cudaSuccess;
  int grid = (rows + kWarpsPerBlock - 1) / kWarpsPerBlock;
  if (grid > kBlockLimit) grid = kBlockLimit;
  all_lines<<<grid, kWarpsPerBlock * kWarpSize>>>(x, gamma, beta, y, rows, cols, x_stride, y_stride, eps);
  return cudaGetLastError();
}
