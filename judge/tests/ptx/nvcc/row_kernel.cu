// A row kernel: loads by float4, a warp reduction by shuffles, a block reduction through shared memory, one division.
// build: nvcc -ptx -O3 -std=c++17 -lineinfo -arch=compute_80 (and compute_100)
#include <cuda_runtime.h>

__device__ float warp_sum(float v) {
  for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(0xffffffffu, v, step);
  return v;
}

__global__ void normalise_rows(const float4* __restrict__ x, float4* __restrict__ y, int quads) {
  __shared__ float partial[32];
  const float4* row = x + static_cast<size_t>(blockIdx.x) * quads;
  float sum = 0.f, squares = 0.f;
  for (int i = threadIdx.x; i < quads; i += blockDim.x) {
    float4 v = row[i];
    sum += v.x + v.y + v.z + v.w;
    squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  sum = warp_sum(sum);
  squares = warp_sum(squares);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  float total = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.f;
  total = warp_sum(total);
  float mean = total / (4 * quads), scale = rsqrtf(squares / (4 * quads) - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < quads; i += blockDim.x) {
    float4 v = row[i];
    y[static_cast<size_t>(blockIdx.x) * quads + i] = make_float4((v.x - mean) * scale, expf(v.y - mean), tanhf(v.z), __logf(fabsf(v.w) + 1.f));
  }
}
