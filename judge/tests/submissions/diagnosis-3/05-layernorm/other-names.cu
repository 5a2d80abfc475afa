// mistake-of: sign-flipped
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

namespace wk = warpbook::kernel;

constexpr int kBlock = 256;

struct Pair {
  float one;
  float two;
};

__device__ Pair powers(const float* __restrict__ a, int n, float* board) {
  float p1 = 0.0f, p2 = 0.0f;
  for (int j = threadIdx.x; j < n; j += kBlock) {
    const float v = a[j];
    p1 += v;
    p2 += v * v;
  }
  Pair all;
  all.one = wk::block_reduce<wk::Sum>(p1, board);
  all.two = wk::block_reduce<wk::Sum>(p2, board);
  return all;
}

__global__ void norm_rows(const float* __restrict__ in, const float* __restrict__ g, const float* __restrict__ b, float* __restrict__ out,
                          int n, float tiny) {
  __shared__ float board[wk::kMaxWarps];
  const float* a = in + static_cast<size_t>(blockIdx.x) * n;
  float* o = out + static_cast<size_t>(blockIdx.x) * n;

  const Pair p = powers(a, n, board);
  const float mu = p.one / n;
  const float var = fmaxf(0.0f, mu * mu - p.two / n);
  const float inv = rsqrtf(var + tiny);
  for (int j = threadIdx.x; j < n; j += kBlock) o[j] = (a[j] - mu) * inv * g[j] + b[j];
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  norm_rows<<<rows, kBlock>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
