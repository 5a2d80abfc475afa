// Asynchronous copies and a barrier object in shared memory.
#include <cuda_pipeline.h>
#include <cuda/barrier>

__global__ void stage(const float4* x, float4* y, int n) {
  extern __shared__ float4 buffer[];
  __pipeline_memcpy_async(&buffer[threadIdx.x], &x[threadIdx.x], sizeof(float4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  y[threadIdx.x] = buffer[n - threadIdx.x];
}

__global__ void arrive(int* y) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  barrier.arrive_and_wait();
  y[threadIdx.x] = 1;
}
