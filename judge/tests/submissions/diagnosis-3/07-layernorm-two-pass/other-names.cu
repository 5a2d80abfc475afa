// mistake-of: distances-not-squared
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

namespace wk = warpbook::kernel;

constexpr int kBlock = 256;
constexpr int kKeep = 8;

__device__ float fetch(const float* __restrict__ a, int n, float (&keep)[kKeep]) {
  float s = 0.0f;
#pragma unroll
  for (int k = 0; k < kKeep; ++k) {
    const int j = threadIdx.x + k * kBlock;
    keep[k] = j < n ? a[j] : 0.0f;
    s += keep[k];
  }
  return s;
}

__device__ float spread(const float (&keep)[kKeep], int n, float mu) {
  float s = 0.0f;
#pragma unroll
  for (int k = 0; k < kKeep; ++k) {
    const int j = threadIdx.x + k * kBlock;
    const float d = j < n ? keep[k] - mu : 0.0f;
    s += d;
  }
  return s;
}

__global__ void __launch_bounds__(kBlock) norm_rows(const float* __restrict__ in, const float* __restrict__ g, const float* __restrict__ b,
                                                    float* __restrict__ out, int n, float tiny) {
  __shared__ float board[wk::kMaxWarps];
  const size_t begin = static_cast<size_t>(blockIdx.x) * n;

  float keep[kKeep];
  const float mu = wk::block_reduce<wk::Sum>(fetch(in + begin, n, keep), board) / n;
  const float var = wk::block_reduce<wk::Sum>(spread(keep, n, mu), board) / n;
  const float inv = rsqrtf(var + tiny);

#pragma unroll
  for (int k = 0; k < kKeep; ++k) {
    const int j = threadIdx.x + k * kBlock;
    if (j < n) out[begin + j] = (keep[k] - mu) * inv * g[j] + b[j];
  }
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  if (cols > kBlock * kKeep) return cudaErrorInvalidValue;
  norm_rows<<<rows, kBlock>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
