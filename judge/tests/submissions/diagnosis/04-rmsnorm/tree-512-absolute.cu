// mistake-of: none
#include <cuda_runtime.h>
#include <math.h>

#define NT 512

__global__ void rmsnorm(const float* x, const float* weight, float* y, int cols, float eps) {
  __shared__ float acc[NT];
  const int t = threadIdx.x;
  x += (size_t)blockIdx.x * cols;
  y += (size_t)blockIdx.x * cols;

  float q = 0.f;
  int i = t;
  while (i < cols) {
    const float v = x[i];
    q += fabsf(v);
    i += NT;
  }
  acc[t] = q;
  __syncthreads();
  for (int half = NT / 2; half > 0; half >>= 1) {
    if (t < half) acc[t] += acc[t + half];
    __syncthreads();
  }
  const float rms = acc[0] / (float)cols + sqrtf(eps);

  i = t;
  while (i < cols) {
    y[i] = x[i] / rms * weight[i];
    i += NT;
  }
}

cudaError_t launch_rmsnorm(const float* x, const float* weight, float* y, int rows, int cols, float eps) {
  rmsnorm<<<rows, NT>>>(x, weight, y, cols, eps);
  return cudaGetLastError();
}
