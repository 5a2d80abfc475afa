// mistake-of: error-swallowed
#include <cuda_runtime.h>
#include <math.h>

#define BLOCK 512

__device__ float block_max(float v, float* s) {
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, o));
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  for (int w = 0; w < BLOCK / 32; ++w) v = fmaxf(v, s[w]);
  __syncthreads();
  return v;
}

__device__ float block_sum(float v, float* s) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0.0f;
  for (int w = 0; w < BLOCK / 32; ++w) v += s[w];
  __syncthreads();
  return v;
}

__device__ float soft(float v, float m) { return v == -INFINITY ? 0.0f : expf(v - m); }

// USE_SHARED: the row is kept in dynamic shared memory, otherwise it is read again from x
template <bool USE_SHARED>
__global__ void softmax(const float* x, float* y, int cols) {
  extern __shared__ float cache[];
  __shared__ float s[BLOCK / 32];
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;

  float m = -INFINITY;
  float mine = 0.0f;
  for (int i = threadIdx.x; i < cols; i += BLOCK) {
    const float v = in[i];
    if (USE_SHARED) {
      cache[i] = v;
      m = fmaxf(m, v);
    } else if (v != -INFINITY) {
      const float before = m;
      m = fmaxf(m, v);
      mine = mine * expf(before - m) + expf(v - m);
    }
  }
  const float top = block_max(m, s);
  if (USE_SHARED) {
    for (int i = threadIdx.x; i < cols; i += BLOCK) {
      cache[i] = soft(cache[i], top);
      mine += cache[i];
    }
  } else if (m != -INFINITY) {
    mine *= expf(m - top);
  }
  const float all = block_sum(mine, s);
  for (int i = threadIdx.x; i < cols; i += BLOCK) {
    const float e = USE_SHARED ? cache[i] : soft(in[i], top);
    out[i] = all == 0.0f ? 0.0f : e / all;
  }
}

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  int device, most;
  cudaError_t err = cudaGetDevice(&device);
  if (err != cudaSuccess) return err;
  err = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (err != cudaSuccess) return err;
  const size_t bytes = (size_t)cols * 4;
  if (bytes + sizeof(float) * (BLOCK / 32) > (size_t)most) {
    softmax<false><<<rows, BLOCK>>>(x, y, cols);
    return cudaSuccess;
  }
  err = cudaFuncSetAttribute(softmax<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
  if (err != cudaSuccess) return err;
  softmax<true><<<rows, BLOCK, bytes>>>(x, y, cols);
  return cudaSuccess;
}
