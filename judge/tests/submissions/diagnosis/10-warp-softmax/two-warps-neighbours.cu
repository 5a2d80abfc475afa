// mistake-of: columns-in-a-run
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

using namespace warpbook::kernel;

// dim3(32, 2): threadIdx.x is the lane, threadIdx.y the warp
template <int N>
__global__ void kernel(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row < rows) {
    const float* from = x + static_cast<size_t>(row) * cols;
    float* to = y + static_cast<size_t>(row) * cols;

    float slot[N];
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const int c = N * threadIdx.x + i;
      slot[i] = c < cols ? from[c] : -INFINITY;
    }
    float top = slot[0];
#pragma unroll
    for (int i = 1; i < N; ++i) top = fmaxf(top, slot[i]);
    top = warp_reduce<Max>(top);

    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      slot[i] = isinf(slot[i]) && slot[i] < 0 ? 0.0f : expf(slot[i] - top);
      sum += slot[i];
    }
    sum = warp_reduce<Sum>(sum);

#pragma unroll
    for (int i = 0; i < N; ++i) {
      const int c = threadIdx.x + 32 * i;
      if (c < cols) to[c] = sum == 0.0f ? 0.0f : slot[i] / sum;
    }
  }
}

template <int N>
void go(const float* x, float* y, int rows, int cols) {
  kernel<N><<<(rows + 1) / 2, dim3(32, 2)>>>(x, y, rows, cols);
}

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  const int need = (cols + 31) / 32;
  if (need <= 2) go<2>(x, y, rows, cols);
  else if (need <= 8) go<8>(x, y, rows, cols);
  else if (need <= 16) go<16>(x, y, rows, cols);
  else if (need <= 32) go<32>(x, y, rows, cols);
  else return cudaErrorInvalidValue;
  return cudaGetLastError();
}
