// verdict: AC
// One float a lane, side by side: no alignment to think of, no tail. The sectors are the same as with vectors; the requests are four
// times as many, of 4 sectors each.
#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 256;

__global__ void row_scale_kernel(const float* __restrict__ x,  // [rows, cols], row stride x_stride
                                 float* __restrict__ y,        // [rows, cols], row stride y_stride
                                 int cols, long long x_stride, long long y_stride, float alpha) {
  const float* in = x + blockIdx.x * x_stride;
  float* out = y + blockIdx.x * y_stride;
  for (int col = threadIdx.x; col < cols; col += kThreads) out[col] = alpha * in[col];
}

}  // namespace

cudaError_t launch_row_scale(const float* x, float* y, int rows, int cols, long long x_stride, long long y_stride, float alpha) {
  row_scale_kernel<<<rows, kThreads>>>(x, y, cols, x_stride, y_stride, alpha);
  return cudaGetLastError();
}
