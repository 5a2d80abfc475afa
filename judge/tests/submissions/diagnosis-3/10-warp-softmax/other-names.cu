// mistake-of: slots-rounded-down
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

namespace wk = warpbook::kernel;

constexpr int W = wk::kWarpSize;
constexpr int kTeams = 4;

__device__ float share_of(float v, float top) { return v == -INFINITY ? 0.0f : expf(v - top); }

template <int K>
__device__ void fetch(const float* __restrict__ a, int n, int id, float (&keep)[K]) {
#pragma unroll
  for (int k = 0; k < K; ++k) {
    const int j = id + k * W;
    keep[k] = j < n ? a[j] : -INFINITY;
  }
}

template <int K>
__global__ void __launch_bounds__(kTeams* W) soft_rows(const float* __restrict__ in, float* __restrict__ out, int m, int n) {
  const int id = threadIdx.x % W;
  const int r = blockIdx.x * kTeams + threadIdx.x / W;
  if (r >= m) return;
  const size_t begin = static_cast<size_t>(r) * n;

  float keep[K];
  fetch(in + begin, n, id, keep);

  float top = -INFINITY;
#pragma unroll
  for (int k = 0; k < K; ++k) top = fmaxf(top, keep[k]);
  top = wk::warp_reduce<wk::Max>(top);

  float all = 0.0f;
#pragma unroll
  for (int k = 0; k < K; ++k) {
    keep[k] = share_of(keep[k], top);
    all += keep[k];
  }
  all = wk::warp_reduce<wk::Sum>(all);

#pragma unroll
  for (int k = 0; k < K; ++k) {
    const int j = id + k * W;
    if (j < n) out[begin + j] = all == 0.0f ? 0.0f : keep[k] / all;
  }
}

template <int K>
cudaError_t start(const float* in, float* out, int m, int n) {
  soft_rows<K><<<(m + kTeams - 1) / kTeams, kTeams * W>>>(in, out, m, n);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols > 32 * W) return cudaErrorInvalidValue;
  const int needed = cols / W;
  if (needed <= 4) return start<4>(x, y, rows, cols);
  if (needed <= 8) return start<8>(x, y, rows, cols);
  return start<32>(x, y, rows, cols);
}
