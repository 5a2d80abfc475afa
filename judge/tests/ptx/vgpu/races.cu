// Accesses that nothing orders, and their right counterparts. Kernels whose name ends in _ok must draw no finding; in the others the later
// access carries the mark `// here` and the earlier one `// there`.
#include <cuda/atomic>
#include <cuda_fp16.h>

#define L threadIdx.x

extern "C" __global__ void raw(const int* in, int* out) {
  __shared__ int s[256];
  s[L] = in[L];          // there
  out[L] = s[255 - L];   // here
}
extern "C" __global__ void raw_ok(const int* in, int* out) {
  __shared__ int s[256];
  s[L] = in[L];
  __syncthreads();
  out[L] = s[255 - L];
}

// The second barrier of the loop is missing: the next round writes what the slower warps still read.
extern "C" __global__ void war_loop(const int* in, int* out, int rounds) {
  __shared__ int s[64];
  int sum = 0;
  for (int i = 0; i < rounds; ++i) {
    s[L] = in[i * 64 + L];  // here
    __syncthreads();
    sum += s[63 - L];  // there
  }
  out[L] = sum;
}
extern "C" __global__ void war_loop_ok(const int* in, int* out, int rounds) {
  __shared__ int s[64];
  int sum = 0;
  for (int i = 0; i < rounds; ++i) {
    s[L] = in[i * 64 + L];
    __syncthreads();
    sum += s[63 - L];
    __syncthreads();
  }
  out[L] = sum;
}

// Everybody reads the word, its own thread among them and last: the read that counts is not the last one.
extern "C" __global__ void many_readers(int* out) {
  __shared__ volatile int go;
  __shared__ int s;
  if (L == 0) s = 5;
  __syncthreads();
  out[L] = s;                        // there
  if (L == 64) s = out[L] + 1;       // here
  if (L == 0) go = 1;
}
extern "C" __global__ void waw(int* out) {
  __shared__ int s;
  if (L % 32 == 0) s = L;  // here
  __syncthreads();
  out[L] = s;
}
extern "C" __global__ void waw_same(int* out) {
  __shared__ int s;
  // Written by hand: the compiler knows that nothing else can be in s, and would not store at all.
  if (L % 32 == 0) asm volatile("st.shared.u32 [%0], 7;" ::"r"((unsigned)__cvta_generic_to_shared(&s)) : "memory");  // here
  __syncthreads();
  out[L] = s;
}
extern "C" __global__ void waw_lanes(int* out) {
  __shared__ int s;
  s = L;  // here
  __syncthreads();
  out[L] = s;
}

extern "C" __global__ void lanes(int* out) {
  __shared__ int s[32];
  s[L] = L;            // there
  out[L] = s[31 - L];  // here
}
extern "C" __global__ void lanes_ok(int* out) {
  __shared__ int s[32];
  s[L] = L;
  __syncwarp();
  out[L] = s[31 - L];
}
// A shuffle makes lanes meet but orders no memory.
extern "C" __global__ void lanes_shuffle(int* out) {
  __shared__ int s[32];
  s[L] = L;  // there
  const int v = __shfl_xor_sync(~0u, (int)L, 1);
  out[L] = s[31 - L] + v;  // here
}
extern "C" __global__ void halves_ok(int* out) {
  __shared__ int s[32];
  s[L] = L;
  __syncwarp(L < 16 ? 0x0000ffffu : 0xffff0000u);
  out[L] = s[L ^ 15];
}
// Each half is in order, but they read from each other.
extern "C" __global__ void halves(int* out) {
  __shared__ int s[32];
  s[L] = L;  // there
  __syncwarp(L < 16 ? 0x0000ffffu : 0xffff0000u);
  out[L] = s[L ^ 16];  // here
}
// a meets b, then b meets c: c knows what a did.
extern "C" __global__ void chain_ok(int* out) {
  __shared__ int s[3];
  if (L == 0) {
    s[0] = 11;
    __syncwarp(3);
  } else if (L == 1) {
    __syncwarp(3);
    __syncwarp(6);
  } else if (L == 2) {
    __syncwarp(6);
    out[0] = s[0];
  }
}
extern "C" __global__ void bytes_ok(unsigned char* out, unsigned short* pairs) {
  __shared__ unsigned char s[64];
  s[L] = L;
  out[L] = L;
  pairs[L] = L;
  __syncthreads();
  out[64 + L] = s[63 - L];
}
// Neighbouring bytes are fine, the same byte is not: it must not hide in its word.
extern "C" __global__ void bytes(unsigned char* out) {
  __shared__ unsigned char s[64];
  s[L] = L;            // there
  out[L] = s[L ^ 63];  // here
}
extern "C" __global__ void halves_of_words_ok(__half* out, const __half2* in) {
  __shared__ __half s[128];
  *(__half2*)(s + 2 * L) = in[L];
  __syncthreads();
  out[L] = s[L];
  out[64 + L] = s[64 + L];
}
// Code as it was written before Volta, for lanes that run in step: volatile reads anew each time, and orders nothing.
extern "C" __global__ void in_step(int* out) {
  __shared__ volatile int s[64];
  s[L] = L;
  __syncthreads();
  s[L] = s[L] + s[(L + 1) % 64];  // here // there
  __syncthreads();
  out[L] = s[L];
}

// Warp 0 fills, warps 1 to 3 empty; named barriers say when. The wrong one forgets to wait until the buffer is empty again.
template <bool kWaits>
__device__ void pipeline(const int* in, int* out, int rounds) {
  __shared__ int buffer[32];
  const int warp = L / 32, lane = L % 32;
  for (int i = 0; i < rounds; ++i) {
    if (warp == 0) {
      if (kWaits && i > 0) asm volatile("bar.sync 2, 128;" ::: "memory");
      buffer[lane] = in[i * 32 + lane];  // here
      asm volatile("bar.arrive 1, 128;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 128;" ::: "memory");
      out[i * 96 + L - 32] = buffer[31 - lane];  // there
      if (kWaits && i + 1 < rounds) asm volatile("bar.arrive 2, 128;" ::: "memory");
    }
  }
}
extern "C" __global__ void pipeline_ok(const int* in, int* out, int rounds) { pipeline<true>(in, out, rounds); }
extern "C" __global__ void pipeline_early(const int* in, int* out, int rounds) { pipeline<false>(in, out, rounds); }

// A flag in shared memory, with and without the fence.
template <bool kFence>
__device__ void flag_in_block(int* out) {
  __shared__ volatile int flag;
  __shared__ int value[32];
  if (L == 0) flag = 0;
  __syncthreads();
  if (L < 32) {
    value[L] = 40 + L;  // there
    __syncwarp();
    if (kFence) __threadfence_block();
    if (L == 0) flag = 1;
  } else {
    while (flag == 0) {
    }
    out[L] = value[L - 32];  // here
  }
}
extern "C" __global__ void flag_ok(int* out) { flag_in_block<true>(out); }
extern "C" __global__ void flag_bare(int* out) { flag_in_block<false>(out); }

// The last block to finish adds up what the others left. kForm: 0 the writer fences, 1 everybody fences before a barrier, 2 one thread
// fences after it, 3 nobody fences, 4 everybody fences but no barrier makes the counting thread wait for the others.
template <int kForm>
__device__ void last_block(const float* in, float* partial, unsigned* done, float* out) {
  __shared__ bool last;
  if (kForm == 0) {
    if (L == 0) {
      partial[blockIdx.x] = in[blockIdx.x];
      __threadfence();
      last = atomicAdd(done, 1u) == gridDim.x - 1;
    }
  } else {
    partial[blockIdx.x * blockDim.x + L] = in[L];  // there
    if (kForm == 1 || kForm == 4) __threadfence();
    if (kForm != 4) __syncthreads();
    if (L == 0) {
      if (kForm == 2) __threadfence();
      last = atomicAdd(done, 1u) == gridDim.x - 1;
    }
  }
  __syncthreads();
  if (!last) return;
  const int count = gridDim.x * (kForm == 0 ? 1 : blockDim.x);
  float sum = 0;
  for (int i = L; i < count; i += blockDim.x) sum += partial[i];  // here
  atomicAdd(out, sum);
  if (L == 0) *done = 0;
}
#define LAST(name, form)                                                                                      \
  extern "C" __global__ void name(const float* in, float* partial, unsigned* done, float* out) { \
    last_block<form>(in, partial, done, out);                                                    \
  }
LAST(last_one_ok, 0)
LAST(last_each_ok, 1)
LAST(last_after_ok, 2)
LAST(last_bare, 3)
LAST(last_early, 4)

// A barrier of the grid by hand, twice, so that it is used again.
template <bool kFence>
__device__ void grid_barrier(unsigned* arrived, unsigned goal) {
  __syncthreads();
  if (L == 0) {
    if (kFence) __threadfence();
    atomicAdd(arrived, 1u);
    while (*(volatile unsigned*)arrived < goal) {
    }
  }
  __syncthreads();
}
template <bool kFence>
__device__ void rotate(unsigned* arrived, int* data, int* out) {
  const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + L;
  data[i] = i;  // there
  grid_barrier<kFence>(arrived, gridDim.x);
  const int v = data[(i + blockDim.x) % n];  // here
  grid_barrier<kFence>(arrived, 2 * gridDim.x);
  data[i] = v;
  grid_barrier<kFence>(arrived, 3 * gridDim.x);
  out[i] = data[(i + blockDim.x) % n];
}
extern "C" __global__ void grid_ok(unsigned* arrived, int* data, int* out) { rotate<true>(arrived, data, out); }
extern "C" __global__ void grid_bare(unsigned* arrived, int* data, int* out) { rotate<false>(arrived, data, out); }

// Ordered operations instead of fences: each block waits for the one before it.
extern "C" __global__ void ordered_ok(int* flags, int* data) {
  cuda::atomic_ref<int, cuda::thread_scope_device> mine(flags[blockIdx.x]);
  if (blockIdx.x > 0) {
    if (L == 0) {
      cuda::atomic_ref<int, cuda::thread_scope_device> before(flags[blockIdx.x - 1]);
      while (before.load(cuda::memory_order_acquire) == 0) {
      }
    }
    __syncthreads();
    data[blockIdx.x * blockDim.x + L] = data[(blockIdx.x - 1) * blockDim.x + L] + (int)data[L];
  } else {
    data[L] = L;
  }
  __syncthreads();
  if (L == 0) mine.store(1, cuda::memory_order_release);
}
extern "C" __global__ void relaxed(int* flags, int* data) {
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(flags[0]);
  if (blockIdx.x == 0) {
    data[0] = 5;  // there
    flag.store(1, cuda::memory_order_relaxed);
  } else {
    while (flag.load(cuda::memory_order_relaxed) == 0) {
    }
    data[1] = data[0];  // here
  }
}
extern "C" __global__ void lock_ok(int* lock, int* value) {
  if (L % 16 != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *value = *value + 1;
  __threadfence();
  atomicExch(lock, 0);
}
// Every lane hands on its own write only: no fence stands before the exchange.
extern "C" __global__ void lock_bare(int* lock, int* value) {
  if (L != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *value = *value + 1;  // here
  atomicExch(lock, 0);
}

extern "C" __global__ void atomics_ok(int* out) {
  __shared__ int bins[8];
  if (L < 8) bins[L] = 0;
  __syncthreads();
  atomicAdd(&bins[L % 8], 1);
  __syncthreads();
  if (L < 8) atomicAdd(out + L, bins[L]);
}
extern "C" __global__ void plain_then_atomic(int* out) {
  __shared__ int total;
  if (L == 0) total = 0;                  // there
  if (L >= 32) atomicAdd(&total, (int)L); // here
  __syncthreads();
  if (L == 0) *out = total;
}
// The writer's own atomic comes next and must not hide its write.
extern "C" __global__ void plain_and_atomic(int* out) {
  __shared__ int total;
  if (L == 0) total = 0;      // there
  atomicAdd(&total, (int)L);  // here
  __syncthreads();
  if (L == 0) *out = total;
}
extern "C" __global__ void between_blocks(int* data) {
  if (L == 0 && blockIdx.x == 0) data[0] = 1;     // there
  if (L == 0 && blockIdx.x == 1) data[2] = data[0];  // here
}
// The word is read by three blocks before the first of them writes it.
extern "C" __global__ void read_by_blocks(int* data, int* go) {
  if (L != 0) return;
  const int v = data[0];  // there
  atomicAdd(go, 1);
  while (*(volatile int*)go < (int)gridDim.x) {
  }
  if (blockIdx.x == 0) data[0] = v + 1;  // here
}
extern "C" __global__ void in_place(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + L;
  if (i + 1 < n) data[i] = data[i + 1] + 1;  // here
}
extern "C" __global__ void own_rows_ok(float* data, int cols) {
  float* row = data + blockIdx.x * cols;
  for (int pass = 0; pass < 3; ++pass) {
    for (int c = L; c < cols; c += blockDim.x) row[c] = row[c] * 2 + 1;
  }
}
