// verdict: AC
// Right, and what no kernel should do: each thread takes a stretch of the row, so the lanes of a warp stand far apart and every load
// touches up to 32 sectors for 128 bytes. The bytes asked for are the same; the sector meter shows the difference.
#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 64;

__global__ void row_scale_kernel(const float* __restrict__ x,  // [rows, cols], row stride x_stride
                                 float* __restrict__ y,        // [rows, cols], row stride y_stride
                                 int cols, long long x_stride, long long y_stride, float alpha) {
  const float* in = x + blockIdx.x * x_stride;
  float* out = y + blockIdx.x * y_stride;
  const int stretch = (cols + kThreads - 1) / kThreads;
  const int first = threadIdx.x * stretch;
  const int last = min(cols, first + stretch);
  for (int col = first; col < last; ++col) out[col] = alpha * in[col];
}

}  // namespace

cudaError_t launch_row_scale(const float* x, float* y, int rows, int cols, long long x_stride, long long y_stride, float alpha) {
  row_scale_kernel<<<rows, kThreads>>>(x, y, cols, x_stride, y_stride, alpha);
  return cudaGetLastError();
}
