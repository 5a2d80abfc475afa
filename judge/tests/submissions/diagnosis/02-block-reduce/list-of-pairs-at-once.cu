// mistake-of: no-barrier-before-collecting
#include <cuda_runtime.h>
#include <math.h>

namespace {

// Sum and maximum of the lanes of a warp at once; lane 0 has them afterwards.
__device__ void inside_warp(float& s, float& m, int lane, int alive) {
  unsigned who = alive == 32 ? ~0u : (1u << alive) - 1u;
  for (int d = 1; d < 32; d <<= 1) {
    int from = lane + d < alive ? lane + d : lane;
    float s2 = __shfl_sync(who, s, from);
    float m2 = __shfl_sync(who, m, from);
    if (from != lane) {
      s += s2;
      m = fmaxf(m, m2);
    }
  }
}

__global__ void k(const float* __restrict__ x, float* __restrict__ sum, float* __restrict__ max, int cols) {
  __shared__ float2 found[32];
  const int tid = threadIdx.x;
  const int lane = tid & 31, w = tid >> 5;
  const int nwarps = (blockDim.x + 31) >> 5;
  const int alive = min(32, (int)blockDim.x - 32 * w);
  const float* in = x + (size_t)blockIdx.x * cols;

  float s = 0, m = -INFINITY;
  int c = tid;
  while (c < cols) {
    const float f = in[c];
    s += f;
    m = fmaxf(m, f);
    c += blockDim.x;
  }
  inside_warp(s, m, lane, alive);
  if (lane == 0) found[w] = make_float2(s, m);
  // every thread goes through the list by itself
  float all = 0, top = -INFINITY;
  for (int i = 0; i < nwarps; ++i) {
    all += found[i].x;
    top = fmaxf(top, found[i].y);
  }
  if (tid == blockDim.x - 1) {
    sum[blockIdx.x] = all;
    max[blockIdx.x] = top;
  }
}

}  // namespace

cudaError_t launch_row_sum_max(const float* x, float* sum, float* max, int rows, int cols, int threads) {
  k<<<rows, threads>>>(x, sum, max, cols);
  return cudaGetLastError();
}
