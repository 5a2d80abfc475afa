// mistake-of: weighed-twice
#include <cuda_runtime.h>
#include <math.h>

namespace {

constexpr int kSize = 512;

// op 0: maximum, op 1: sum. The first 512 floats of shared memory belong to the tree.
__device__ float tree(float v, float* s, bool sum) {
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = kSize / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) {
      const float other = s[threadIdx.x + k];
      s[threadIdx.x] = sum ? s[threadIdx.x] + other : fmaxf(s[threadIdx.x], other);
    }
    __syncthreads();
  }
  v = s[0];
  __syncthreads();
  return v;
}

__device__ float e(float logit, float m) { return logit == -INFINITY ? 0.0f : expf(logit - m); }

__global__ void kept(const float* x, float* y, int cols) {
  __shared__ float s[kSize];
  extern __shared__ float row[];
  const size_t at = (size_t)blockIdx.x * cols;
  float m = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += kSize) {
    const float v = x[at + c];
    row[c] = v;
    m = fmaxf(m, v);
  }
  m = tree(m, s, false);
  float z = 0.0f;
  for (int c = threadIdx.x; c < cols; c += kSize) {
    row[c] = e(row[c], m);
    z += row[c];
  }
  z = tree(z, s, true);
  for (int c = threadIdx.x; c < cols; c += kSize) y[at + c] = z == 0.0f ? 0.0f : e(row[c], m) / z;
}

__global__ void walked(const float* x, float* y, int cols) {
  __shared__ float s[kSize];
  const size_t at = (size_t)blockIdx.x * cols;
  float mine = -INFINITY, z = 0.0f;
  for (int c = threadIdx.x; c < cols; c += kSize) {
    const float v = x[at + c];
    if (v > mine) {
      z = mine == -INFINITY ? z : z * expf(mine - v);
      mine = v;
    }
    z += e(v, mine);
  }
  const float m = tree(mine, s, false);
  z = tree(mine == -INFINITY ? z : z * expf(mine - m), s, true);
  for (int c = threadIdx.x; c < cols; c += kSize) y[at + c] = z == 0.0f ? 0.0f : e(x[at + c], m) / z;
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  int dev;
  cudaError_t err = cudaGetDevice(&dev);
  if (err != cudaSuccess) return err;
  int limit;
  err = cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, dev);
  if (err != cudaSuccess) return err;

  const long long dynamic = 4LL * cols;
  const long long fixed = kSize * sizeof(float);
  if (dynamic + fixed <= limit) {
    err = cudaFuncSetAttribute(kept, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)dynamic);
    if (err != cudaSuccess) return err;
    kept<<<rows, kSize, dynamic>>>(x, y, cols);
  } else {
    walked<<<rows, kSize>>>(x, y, cols);
  }
  return cudaGetLastError();
}
