// verdict: AC
// LayerNorm by Welford's moments with 128 threads, a tree of parts in shared memory and integer counts: 12 bytes a thread and
// seven steps with a barrier each, where shuffles need two barriers in all. All threads read the one part that is left.
#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 128;

struct Moments {
  int count;
  float mean;
  float m2;
};

__device__ Moments merge(Moments a, Moments b) {
  if (b.count == 0) return a;
  const int count = a.count + b.count;
  const float delta = b.mean - a.mean;
  const float share = static_cast<float>(b.count) / static_cast<float>(count);
  return {count, a.mean + delta * share, a.m2 + b.m2 + delta * delta * static_cast<float>(a.count) * share};
}

__global__ void layernorm_kernel(const float* __restrict__ x,      // [rows, cols], dense
                                 const float* __restrict__ gamma,  // [cols]
                                 const float* __restrict__ beta,   // [cols]
                                 float* __restrict__ y,            // [rows, cols], dense
                                 int cols, float eps) {
  __shared__ Moments parts[kThreads];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;

  Moments mine = {0, 0.0f, 0.0f};
  for (int col = threadIdx.x; col < cols; col += kThreads) mine = merge(mine, {1, x[offset + col], 0.0f});
  parts[threadIdx.x] = mine;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] = merge(parts[threadIdx.x], parts[threadIdx.x + half]);
    __syncthreads();
  }
  const float mean = parts[0].mean;
  const float scale = rsqrtf(parts[0].m2 / cols + eps);
  for (int col = threadIdx.x; col < cols; col += kThreads) y[offset + col] = (x[offset + col] - mean) * scale * gamma[col] + beta[col];
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  layernorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
