// Two ways to write row-softmax, one that wastes and one that does not: something to compare.

const head = `#include <cuda_runtime.h>
#include <math.h>

`;
const launch = (kernel: string, grid: string, block: number): string => `
cudaError_t launch_softmax(const float* x, float* y, int rows, int cols, long long x_stride, long long y_stride) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  ${kernel}<<<${grid}, ${block}>>>(x, y, rows, cols, x_stride, y_stride);
  return cudaGetLastError();
}
`;

/// A thread walks a row: the lanes of a warp stand a row apart. Three walks.
export const kThreadARow = `${head}__global__ void thread_a_row(const float* x, float* y, int rows, int cols, long long x_stride, long long y_stride) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float m = -INFINITY, sum = 0.0f;
  for (int c = 0; c < cols; ++c) m = fmaxf(m, x[row * x_stride + c]);
  for (int c = 0; c < cols; ++c) sum += expf(x[row * x_stride + c] - m);
  for (int c = 0; c < cols; ++c) y[row * y_stride + c] = m == -INFINITY ? 0.0f : expf(x[row * x_stride + c] - m) / sum;
}
${launch('thread_a_row', '(rows + 31) / 32', 32)}`;

/// A warp walks a row: the lanes stand side by side. Three walks, too.
export const kWarpARow = `${head}__global__ void warp_a_row(const float* x, float* y, int rows, int cols, long long x_stride, long long y_stride) {
  const float* in = x + blockIdx.x * x_stride;
  float* out = y + blockIdx.x * y_stride;
  float m = -INFINITY, sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 32) m = fmaxf(m, in[c]);
  for (int far = 16; far > 0; far /= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, far));
  for (int c = threadIdx.x; c < cols; c += 32) sum += expf(in[c] - m);
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, far);
  for (int c = threadIdx.x; c < cols; c += 32) out[c] = m == -INFINITY ? 0.0f : expf(in[c] - m) / sum;
}
${launch('warp_a_row', 'rows', 32)}`;
