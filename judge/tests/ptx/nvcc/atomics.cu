// Atomics of every kind and width, votes, matches, warp reductions.
#include <cuda/atomic>
#include <cuda_fp16.h>

__global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d, __half2* h) {
  __shared__ int s[32];
  s[threadIdx.x % 32] = 0;
  __syncthreads();
  atomicAdd(&s[threadIdx.x % 7], 1);
  atomicMin(i, 3); atomicMax(i + 1, 4); atomicAnd(u, 5u); atomicOr(u + 1, 6u); atomicXor(u + 2, 7u);
  u[9] = atomicInc(u + 3, 9u) + atomicDec(u + 4, 9u) + atomicExch(u + 5, 1u) + atomicCAS(u + 6, 1u, 2u);
  atomicAdd(l, 1ull); atomicMax(l + 1, 2ull); l[7] = atomicCAS(l + 2, 1ull, 2ull);
  f[9] = atomicAdd(f, 1.f); d[1] = atomicAdd(d, 1.0); atomicAdd(h, __half2{});
  atomicAdd_block(i + 5, 1); atomicAdd_system(i + 6, 1);
  cuda::atomic_ref<int, cuda::thread_scope_device> ref(i[8]);
  ref.store(4, cuda::memory_order_release);
  i[10] = ref.load(cuda::memory_order_acquire) + ref.fetch_add(2, cuda::memory_order_relaxed);
  unsigned ballot = __ballot_sync(0xffffffffu, i[threadIdx.x] > 0), match = __match_any_sync(0xffffffffu, i[threadIdx.x]);
  int same; match += __match_all_sync(0xffffffffu, i[threadIdx.x], &same);
  u[20] = ballot + match + same + __reduce_add_sync(0xffffffffu, i[threadIdx.x]) + __reduce_or_sync(0xffffffffu, u[threadIdx.x]) + __activemask();
  u[21] = __syncthreads_count(i[3]) + __syncthreads_and(i[4]) + __syncthreads_or(i[5]) + __any_sync(0xffffffffu, i[6]) + __all_sync(0xffffffffu, i[7]);
  __threadfence(); __threadfence_block(); __threadfence_system(); __nanosleep(20); __syncwarp();
  u[22] = s[threadIdx.x % 32] + __shfl_down_sync(0xffffu, i[1], 3, 16) + __shfl_sync(~0u, i[2], 5) + __shfl_up_sync(~0u, i[2], 1);
}
