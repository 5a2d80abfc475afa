// mistake-of: max-of-one-warp
#include <cuda_runtime.h>
#include <math.h>

// 512 threads a row. The biggest logit first, then the sum; both end in every thread through shared memory.
__global__ void soft(const float* __restrict__ x, float* __restrict__ y, int cols) {
  __shared__ float part[16];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const size_t at = (size_t)blockIdx.x * cols;

  float top = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += 512) top = fmaxf(top, x[at + c]);
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, d));

  float sum = 0.f;
  for (int c = threadIdx.x; c < cols; c += 512) {
    const float v = x[at + c];
    if (v != -INFINITY) sum += expf(v - top);
  }
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (lane == 0) part[warp] = sum;
  __syncthreads();
  float all = 0.f;
  for (int w = 0; w < 16; ++w) all += part[w];

  for (int c = threadIdx.x; c < cols; c += 512) {
    const float v = x[at + c];
    y[at + c] = (v == -INFINITY && !(all != all)) ? 0.f : expf(v - top) / all;
  }
}

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  soft<<<rows, 512>>>(x, y, cols);
  return cudaGetLastError();
}
