// cuda::pipeline and cuda::memcpy_async: tiles come from global memory two stages ahead of their use.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

// A pipeline of the block; tiles of blockDim.x floats; out[block] is the sum of its part of `in`.
extern "C" __global__ void pipeline_block(const float* in, float* out, int tiles) {
  constexpr int kStages = 2;
  __shared__ float buffer[kStages][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  const cg::thread_block block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  const float* mine = in + static_cast<size_t>(blockIdx.x) * tiles * 64;
  float sum = 0;
  for (int fetched = 0, used = 0; used < tiles; ++used) {
    for (; fetched < tiles && fetched < used + kStages; ++fetched) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, buffer[fetched % kStages], mine + fetched * 64, cuda::aligned_size_t<16>(64 * sizeof(float)), pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    sum += buffer[used % kStages][63 - threadIdx.x];
    pipeline.consumer_release();
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// A pipeline of one thread.
extern "C" __global__ void pipeline_thread(const float4* in, float* out, int n) {
  __shared__ float4 buffer[2][64];
  auto pipeline = cuda::make_pipeline();
  float sum = 0;
  const int stride = blockDim.x;
  pipeline.producer_acquire();
  cuda::memcpy_async(&buffer[0][threadIdx.x], &in[threadIdx.x], sizeof(float4), pipeline);
  pipeline.producer_commit();
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&buffer[(i + 1) % 2][threadIdx.x], &in[(i + 1) * stride + threadIdx.x], sizeof(float4), pipeline);
      pipeline.producer_commit();
      cuda::pipeline_consumer_wait_prior<1>(pipeline);
    } else {
      cuda::pipeline_consumer_wait_prior<0>(pipeline);
    }
    const float4 v = buffer[i % 2][threadIdx.x];
    sum += v.x + v.y + v.z + v.w;
    pipeline.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// memcpy_async that signals a barrier, and the one of cooperative groups.
extern "C" __global__ void copy_with_barrier(const int* in, int* out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(Barrier) char storage[sizeof(Barrier)];
  __shared__ alignas(16) int tile[256], second[256];
  Barrier& barrier = *reinterpret_cast<Barrier*>(storage);
  const cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  cuda::memcpy_async(block, tile, in, sizeof(tile), barrier);
  cg::memcpy_async(block, second, in + 256, sizeof(second));
  barrier.arrive_and_wait();
  cg::wait(block);
  for (int i = threadIdx.x; i < 256; i += blockDim.x) out[i] = tile[255 - i] + second[i];
}
