// mistake-of: tiles-without-a-row-leave
#include <cuda_runtime.h>
#include <math.h>

namespace {

// lanes of a row: a power of two that holds the columns; chosen at run time
__global__ void short_rows(const float* __restrict__ x, float* __restrict__ y, int rows, int cols, int lanes) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = id / lanes;
  if (r >= rows) return;
  const int c = id % lanes;
  const bool mine = c < cols;
  const size_t place = (size_t)r * cols + c;

  float v = -INFINITY;
  if (mine) v = x[place];
  float m = v;
  for (int d = 1; d < lanes; d <<= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, d));
  const float e = v == -INFINITY ? 0.0f : expf(v - m);
  float s = e;
  for (int d = 1; d < lanes; d <<= 1) s += __shfl_xor_sync(0xffffffffu, s, d);
  if (mine) y[place] = s == 0.0f ? 0.0f : e / s;
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols > 32) return cudaErrorInvalidValue;
  int lanes = 1;
  while (lanes < cols) lanes *= 2;
  const int block = 256;
  const int per_block = block / lanes;
  short_rows<<<(rows + per_block - 1) / per_block, block>>>(x, y, rows, cols, lanes);
  return cudaGetLastError();
}
