// mistake-of: adds-sums
#include <cuda_runtime.h>
#include <math.h>

namespace {

constexpr int kThreads = 256;

struct Pair {
  float m, d;
};

// All threads leave their pair in a list, and thread 0 goes through it.
__global__ void softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int cols) {
  __shared__ Pair list[kThreads];
  __shared__ Pair row;
  const float* in = x + static_cast<size_t>(blockIdx.x) * cols;
  float* out = y + static_cast<size_t>(blockIdx.x) * cols;

  Pair p = {-INFINITY, 0.0f};
  for (int c = threadIdx.x; c < cols; c += kThreads) {
    const float v = in[c];
    if (v == -INFINITY) continue;
    if (v > p.m) {
      p.d *= expf(p.m - v);
      p.m = v;
    }
    p.d += expf(v - p.m);
  }
  list[threadIdx.x] = p;
  __syncthreads();

  if (threadIdx.x == 0) {
    float top = -INFINITY;
    for (int t = 0; t < kThreads; ++t) top = fmaxf(top, list[t].m);
    float total = 0.0f;
    for (int t = 0; t < kThreads; ++t) total += list[t].d;
    row = {top, total};
  }
  __syncthreads();

  for (int c = threadIdx.x; c < cols; c += kThreads) {
    const float v = in[c];
    out[c] = row.d == 0.0f ? 0.0f : (v == -INFINITY ? 0.0f : expf(v - row.m)) / row.d;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  softmax_kernel<<<rows, kThreads>>>(x, y, cols);
  return cudaGetLastError();
}
