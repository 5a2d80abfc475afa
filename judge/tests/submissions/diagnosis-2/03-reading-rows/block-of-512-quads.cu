// mistake-of: one-stride
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void row_times_alpha(const float* x, float* y, int cols, long long x_step, long long y_step, float alpha) {
  const float* from = x + (long long)blockIdx.x * x_step;
  float* to = y + (long long)blockIdx.x * x_step;
  int done = 0;
  const bool vectors_ok = (uintptr_t)from % 16 == 0 && (uintptr_t)to % 16 == 0;
  if (vectors_ok) {
    int quads = cols >> 2;
    const float4* s4 = (const float4*)from;
    float4* d4 = (float4*)to;
    for (int i = threadIdx.x; i < quads; i += blockDim.x) {
      float4 v = s4[i];
      v.x *= alpha;
      v.y *= alpha;
      v.z *= alpha;
      v.w *= alpha;
      d4[i] = v;
    }
    done = quads << 2;
  }
  for (int i = done + threadIdx.x; i < cols; i += blockDim.x) to[i] = alpha * from[i];
}

cudaError_t launch_row_scale(const float* x, float* y, int rows, int cols, long long x_stride, long long y_stride, float alpha) {
  row_times_alpha<<<rows, 512>>>(x, y, cols, x_stride, y_stride, alpha);
  return cudaGetLastError();
}
