// mistake-of: count-stays
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

constexpr int kThreads = 256;

struct Moments {
  float count;
  float mean;
  float m2;
};

__device__ Moments add(Moments part, float value) {
  part.count += 1.0f;
  const float delta = value - part.mean;
  part.mean += delta / part.count;
  part.m2 += delta * (value - part.mean);
  return part;
}

// Takes b into a.
__device__ void take_in(Moments& a, const Moments& b) {
  if (b.count == 0.0f) return;
  const float both = a.count + b.count;
  const float delta = b.mean - a.mean;
  a.mean += delta * b.count / both;
  a.m2 += b.m2 + delta * delta * a.count * b.count / both;
}

// Each thread puts its part into the list; thread 0 joins them one after the other.
__global__ void layernorm_kernel(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
                                 float* __restrict__ y, int cols, float eps) {
  __shared__ Moments list[kThreads];
  const float* in = x + static_cast<size_t>(blockIdx.x) * cols;
  float* out = y + static_cast<size_t>(blockIdx.x) * cols;

  Moments mine = {0.0f, 0.0f, 0.0f};
  for (int col = threadIdx.x; col < cols; col += kThreads) mine = add(mine, in[col]);
  list[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int t = 1; t < kThreads; ++t) take_in(mine, list[t]);
    list[0] = mine;
  }
  __syncthreads();
  const Moments row = list[0];
  const float scale = rsqrtf(row.m2 / cols + eps);
  WATCH(scale);

  for (int col = threadIdx.x; col < cols; col += kThreads) {
    out[col] = (in[col] - row.mean) * scale * gamma[col] + beta[col];
  }
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  layernorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
