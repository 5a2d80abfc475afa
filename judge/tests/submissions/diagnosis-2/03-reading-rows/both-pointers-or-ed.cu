// mistake-of: one-vector-a-thread
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void scaleRows(const float* x, float* y, int cols, long long xs, long long ys, float alpha) {
  const float* src = x + (long long)blockIdx.x * xs;
  float* dst = y + (long long)blockIdx.x * ys;
  int done = 0;
  // both pointers on 16 bytes: move four floats at a time
  if ((((uintptr_t)src | (uintptr_t)dst) & 15) == 0) {
    int n4 = cols >> 2;
    const float4* s4 = (const float4*)src;
    float4* d4 = (float4*)dst;
    int i = threadIdx.x;
    if (i < n4) {
      float4 v = s4[i];
      v.x *= alpha;
      v.y *= alpha;
      v.z *= alpha;
      v.w *= alpha;
      d4[i] = v;
    }
    done = n4 << 2;
  }
  for (int i = done + threadIdx.x; i < cols; i += blockDim.x) dst[i] = alpha * src[i];
}

cudaError_t launch_row_scale(const float* x, float* y, int rows, int cols, long long x_stride, long long y_stride, float alpha) {
  scaleRows<<<rows, 128>>>(x, y, cols, x_stride, y_stride, alpha);
  return cudaGetLastError();
}
