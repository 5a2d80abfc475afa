// Lanes, warps and blocks that wait for each other: shuffles, votes, locks, barriers, atomics.
#include <cooperative_groups.h>

extern "C" __global__ void sum_warp(const float* in, float* out) {
  float v = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;
}

extern "C" __global__ void shuffles(int* out) {
  const int lane = threadIdx.x;
  int* o = out + lane;
  o[0 * 32] = __shfl_sync(~0u, lane * 10, lane + 3);
  o[1 * 32] = __shfl_up_sync(~0u, lane, 5);
  o[2 * 32] = __shfl_down_sync(~0u, lane, 7, 16);
  o[3 * 32] = __shfl_xor_sync(~0u, lane, 9, 8);
  o[4 * 32] = __shfl_sync(~0u, lane, 2, 8);
  o[5 * 32] = __shfl_up_sync(~0u, lane, 3, 4);
}

// The form that CUB uses: the predicate says whether the partner is in range.
extern "C" __global__ void predicated(int* out, int last) {
  int v = threadIdx.x;
  asm volatile(
      "{ .reg .s32 r; .reg .pred p; shfl.sync.down.b32 r|p, %0, 4, %1, 0xffffffff; @p add.s32 %0, %0, r; }"
      : "+r"(v) : "r"(last));
  out[threadIdx.x] = v;
}

extern "C" __global__ void votes(const int* in, unsigned* out) {
  const int x = in[threadIdx.x];
  unsigned* o = out + threadIdx.x;
  o[0] = __ballot_sync(~0u, x > 3);
  o[32] = __any_sync(~0u, x == 7) + 2 * __all_sync(~0u, x < 100);
  o[64] = __match_any_sync(~0u, x);
  int all = 0;
  o[96] = __match_all_sync(~0u, x >> 8, &all) + all;
  o[128] = __reduce_add_sync(~0u, (unsigned)x);
  o[160] = (unsigned)__reduce_min_sync(~0u, -x);
  o[192] = __reduce_xor_sync(~0u, (unsigned)x);
}

// Halves of a warp take different ways and shuffle among themselves, each under its own mask.
extern "C" __global__ void halves(int* out) {
  const int lane = threadIdx.x;
  int v;
  if (lane < 16) v = __shfl_xor_sync(0x0000ffffu, lane, 1) + 100;
  else v = __shfl_xor_sync(0xffff0000u, lane, 3) + 200;
  out[lane] = v;
}

// Both ways of the branch shuffle with the full mask: the lanes meet at two different instructions.
extern "C" __global__ void two_places(int* out) {
  const int lane = threadIdx.x;
  int v;
  asm volatile(
      "{ .reg .pred p; setp.lt.s32 p, %1, 10; @p bra LOW;\n"
      "  shfl.sync.idx.b32 %0, %2, 0, 31, 0xffffffff; add.s32 %0, %0, 1000; bra.uni DONE;\n"
      "LOW: shfl.sync.idx.b32 %0, %2, 31, 31, 0xffffffff;\n"
      "DONE: }"
      : "=r"(v) : "r"(lane), "r"(lane * 2));
  out[lane] = v;
}

// Every lane takes the lock in turn. Lanes before Volta would hang here.
extern "C" __global__ void lock_lanes(int* lock, int* out) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  out[0] = out[0] * 3 + 1;
  __threadfence();
  atomicExch(lock, 0);
}

extern "C" __global__ void reverse(const int* in, int* out) {
  extern __shared__ int tile[];
  __shared__ int extra[4];
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 4) extra[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x] + extra[threadIdx.x & 3];
}

// Early return before a barrier is legal: the barrier waits for those who have not ended.
extern "C" __global__ void some_return(int* out, int n) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  if (threadIdx.x >= n) return;
  __syncthreads();
  atomicAdd(&total, (int)threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = total;
}

extern "C" __global__ void counted(int* out) {
  out[threadIdx.x] = __syncthreads_count(threadIdx.x % 3 == 0) * 100 + __syncthreads_and(threadIdx.x < 1000) * 10 + __syncthreads_or(threadIdx.x == 1000);
}

// Warp 0 waits in shared memory for warp 1, which waits at a named barrier for nobody but warp 2.
extern "C" __global__ void flags(int* out) {
  __shared__ volatile int flag;
  __shared__ int value;
  const int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (warp == 0) {
    while (flag == 0) {
    }
    out[threadIdx.x] = value;
  } else {
    asm volatile("bar.sync 3, 64;");
    if (threadIdx.x == 64) {
      value = 42;
      __threadfence_block();
      flag = 1;
    }
  }
}

// A barrier of all blocks, by hand: works while they all fit on the device.
extern "C" __global__ void all_blocks(int* arrived, int* out) {
  if (threadIdx.x == 0) {
    out[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    atomicAdd(arrived, 1);
    while (*(volatile int*)arrived < (int)gridDim.x) {
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) out[gridDim.x + blockIdx.x] = out[(blockIdx.x + 1) % gridDim.x];
}

extern "C" __global__ void whole_grid(int* out) {
  auto grid = cooperative_groups::this_grid();
  out[grid.thread_rank()] = (int)grid.thread_rank();
  grid.sync();
  if (threadIdx.x == 0) out[gridDim.x * blockDim.x + blockIdx.x] = out[(grid.thread_rank() + blockDim.x) % (gridDim.x * blockDim.x)];
}

extern "C" __global__ void atomics(int* i, float* f, double* d, unsigned long long* u) {
  const int t = threadIdx.x;
  atomicAdd(i + 0, t);
  atomicMin(i + 1, -t);
  atomicMax(i + 2, t * 7 % 31);
  atomicAnd(i + 3, ~(1 << t));
  atomicOr(i + 4, 1 << t);
  atomicXor(i + 5, t);
  atomicInc((unsigned*)i + 6, 9u);
  atomicDec((unsigned*)i + 7, 9u);
  i[8 + t] = atomicExch(i + 40, t);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  atomicAdd(u, 1ull << 33);
  atomicMax(u + 1, (unsigned long long)t << 32);
  atomicCAS(u + 2, (unsigned long long)t, (unsigned long long)t + 1);
}

extern "C" __global__ void last_block(const float* in, float* partial, unsigned* done, float* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x] * 2.0f;
    __threadfence();
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float sum = 0;
    for (int b = 0; b < (int)gridDim.x; ++b) sum += ((volatile float*)partial)[b];
    *out = sum;
  }
}
