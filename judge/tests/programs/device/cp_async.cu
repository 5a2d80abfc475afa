// The cp.async intrinsics: copies of 4, 8 and 16 bytes, zero fill, groups that are waited for one by one.
#include <cuda_pipeline_primitives.h>

// in: [4, 64] float4 and a tail; out: [64]. Three copies are in flight while the fourth is summed.
extern "C" __global__ void cp_async(const float4* in, float4* out) {
  __shared__ float4 tile[4][64];
  const int t = threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    __pipeline_memcpy_async(&tile[k][t], &in[k * 64 + t], 16, k == 3 && t >= 32 ? 8 : 0);
    __pipeline_commit();
  }
  float4 sum = make_float4(0, 0, 0, 0);
  const auto add = [&](int k) {
    const float4 v = tile[k][63 - t];
    sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
  };
  __pipeline_wait_prior(3);
  __syncthreads();
  add(0);
  __pipeline_wait_prior(2);
  __syncthreads();
  add(1);
  __pipeline_wait_prior(0);
  __syncthreads();
  add(2);
  add(3);
  out[t] = sum;
}

// 4 and 8 bytes a copy.
extern "C" __global__ void cp_async_narrow(const int* in, int* out) {
  __shared__ int a[64];
  __shared__ int2 b[64];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&a[t], &in[t], 4);
  __pipeline_memcpy_async(&b[t], &in[64 + 2 * t], 8);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = a[t] + b[t].x * b[t].y;
}

// What must not be done: the copy is read before it is waited for.
extern "C" __global__ void reads_too_early(const int* in, int* out) {
  __shared__ int a[64];
  a[threadIdx.x] = -7;
  __pipeline_memcpy_async(&a[threadIdx.x], &in[threadIdx.x], 4);
  __pipeline_commit();
  out[threadIdx.x] = a[threadIdx.x];
  __pipeline_wait_prior(0);
  out[64 + threadIdx.x] = a[threadIdx.x];
}
