// mistake-of: rest-in-one-step
#include <cuda_runtime.h>

#include <cstdint>

// one warp per row, eight rows per block; rows are handed out by a grid-stride loop
__global__ void scale_rows(const float* __restrict__ x, float* __restrict__ y, int rows, int cols, long long x_stride, long long y_stride,
                           float alpha) {
  const int lane = threadIdx.x;
  for (long long r = blockIdx.x * blockDim.y + threadIdx.y; r < rows; r += (long long)gridDim.x * blockDim.y) {
    const float* a = x + r * x_stride;
    float* b = y + r * y_stride;
    const std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b);
    const int quads = bits % sizeof(float4) ? 0 : cols / 4;
    for (int q = lane; q < quads; q += 32) {
      const float4 f = *reinterpret_cast<const float4*>(a + 4 * q);
      *reinterpret_cast<float4*>(b + 4 * q) = make_float4(alpha * f.x, alpha * f.y, alpha * f.z, alpha * f.w);
    }
    const int c = 4 * quads + lane;
    if (c < cols) b[c] = alpha * a[c];
  }
}

cudaError_t launch_row_scale(const float* x, float* y, int rows, int cols, long long x_stride, long long y_stride, float alpha) {
  scale_rows<<<(rows + 7) / 8, dim3(32, 8)>>>(x, y, rows, cols, x_stride, y_stride, alpha);
  return cudaGetLastError();
}
