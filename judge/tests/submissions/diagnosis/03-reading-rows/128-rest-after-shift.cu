// mistake-of: tail-from-length
#include <cuda_runtime.h>
#include <stdint.h>

namespace {

const int BLOCK = 128;

__device__ bool aligned(const void* p) { return ((uintptr_t)p & 15) == 0; }

__global__ void scale(const float* x, float* y, int cols, long long xs, long long ys, float alpha) {
  const float* src = x + blockIdx.x * xs;
  float* dst = y + blockIdx.x * ys;

  if (aligned(src) && aligned(dst)) {
    int nv = cols >> 2;
    const float4* s4 = (const float4*)src;
    float4* d4 = (float4*)dst;
    int i = threadIdx.x;
    while (i < nv) {
      float4 v = s4[i];
      v.x *= alpha;
      v.y *= alpha;
      v.z *= alpha;
      v.w *= alpha;
      d4[i] = v;
      i += BLOCK;
    }
  }
  for (int c = (cols & ~3) + threadIdx.x; c < cols; c += BLOCK) dst[c] = src[c] * alpha;
}

}  // namespace

cudaError_t launch_row_scale(const float* x, float* y, int rows, int cols, long long x_stride, long long y_stride, float alpha) {
  scale<<<rows, BLOCK>>>(x, y, cols, x_stride, y_stride, alpha);
  return cudaGetLastError();
}
