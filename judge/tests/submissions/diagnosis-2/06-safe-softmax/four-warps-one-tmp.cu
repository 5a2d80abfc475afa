// mistake-of: none
#include <cuda_runtime.h>
#include <math.h>

constexpr int N = 128;

__device__ float combineSum(float v, float* tmp) {
  for (int o = 1; o < 32; o <<= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) tmp[threadIdx.x >> 5] = v;
  __syncthreads();
  return tmp[0] + tmp[1] + tmp[2] + tmp[3];
}

__device__ float combineMax(float v, float* tmp) {
  for (int o = 1; o < 32; o <<= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
  if ((threadIdx.x & 31) == 0) tmp[threadIdx.x >> 5] = v;
  __syncthreads();
  return fmaxf(fmaxf(tmp[0], tmp[1]), fmaxf(tmp[2], tmp[3]));
}

__device__ float e(float v, float m) {
  if (v == -INFINITY) return 0.0f;
  return expf(v - m);
}

__global__ void softmax(const float* x, float* y, int cols) {
  __shared__ float tmp[4];
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;

  float m = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += N) m = fmaxf(m, in[i]);
  m = combineMax(m, tmp);

  float s = 0.0f;
  for (int i = threadIdx.x; i < cols; i += N) s += e(in[i], m);
  s = combineSum(s, tmp);

  const float inv = s == 0.0f ? 0.0f : 1.0f / s;
  for (int i = threadIdx.x; i < cols; i += N) out[i] = e(in[i], m) * inv;
}

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  softmax<<<rows, N>>>(x, y, cols);
  return cudaGetLastError();
}
