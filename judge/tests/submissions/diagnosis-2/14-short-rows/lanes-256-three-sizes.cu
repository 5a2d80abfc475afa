// mistake-of: none
#include <cuda_runtime.h>
#include <math.h>

// a row for every LANES neighbouring lanes
template <int LANES>
__device__ float tileMax(float v) {
  for (int d = LANES / 2; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d, LANES));
  return v;
}

template <int LANES>
__device__ float tileSum(float v) {
  for (int d = LANES / 2; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d, LANES);
  return v;
}

template <int LANES>
__global__ void shortRows(const float* x, float* y, int rows, int cols) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = id / LANES;
  const int c = id % LANES;
  float v = -INFINITY;
  if (r < rows && c < cols) v = x[r * cols + c];

  const float top = tileMax<LANES>(v);
  const float e = v == -INFINITY ? 0.0f : expf(v - top);
  const float s = tileSum<LANES>(e);
  if (r < rows && c < cols) y[r * cols + c] = s == 0.0f ? 0.0f : e / s;
}

template <int LANES>
void go(const float* x, float* y, int rows, int cols) {
  const int rowsEach = 256 / LANES;
  shortRows<LANES><<<rows / rowsEach, 256>>>(x, y, rows, cols);
}

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols > 32) return cudaErrorInvalidValue;
  if (cols > 16) {
    go<32>(x, y, rows, cols);
  } else if (cols > 8) {
    go<16>(x, y, rows, cols);
  } else {
    go<8>(x, y, rows, cols);
  }
  return cudaGetLastError();
}
