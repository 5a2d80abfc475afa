// cuda::barrier: threads arrive early and wait late; producers fill what consumers read, a stage behind.
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

// Split arrive and wait, several phases: out[t] gathers what the neighbour wrote in each round.
extern "C" __global__ void split_barrier(const int* in, int* out, int rounds) {
  __shared__ alignas(Barrier) char storage[sizeof(Barrier)];
  __shared__ int values[128];
  Barrier& barrier = *reinterpret_cast<Barrier*>(storage);
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    values[threadIdx.x] = in[threadIdx.x] + round;
    auto token = barrier.arrive();
    sum += 1;  // work that needs nobody
    barrier.wait(std::move(token));
    sum += values[(threadIdx.x + 33) % blockDim.x];
    barrier.arrive_and_wait();
  }
  out[threadIdx.x] = sum;
}

// The first half of the block fills two buffers, the second half empties them (programming guide's producer and consumer).
extern "C" __global__ void producer_consumer(const int* in, int* out, int n) {
  __shared__ alignas(Barrier) char storage[4 * sizeof(Barrier)];
  __shared__ int buffer[2][64];
  Barrier* ready = reinterpret_cast<Barrier*>(storage);
  Barrier* filled = ready + 2;
  if (threadIdx.x < 4) init(ready + threadIdx.x, blockDim.x);
  __syncthreads();
  const int half = blockDim.x / 2, me = threadIdx.x % half;
  if (static_cast<int>(threadIdx.x) < half) {
    for (int i = 0; i * half < n; ++i) {
      ready[i % 2].arrive_and_wait();
      buffer[i % 2][me] = in[i * half + me];
      auto token = filled[i % 2].arrive();
      (void)token;
    }
  } else {
    (void)ready[0].arrive();
    (void)ready[1].arrive();
    for (int i = 0; i * half < n; ++i) {
      filled[i % 2].arrive_and_wait();
      out[i * half + me] = buffer[i % 2][half - 1 - me] * 2;
      auto token = ready[i % 2].arrive();
      (void)token;
    }
  }
}

// Threads that leave early drop out of the count.
extern "C" __global__ void drops_out(int* out) {
  __shared__ alignas(Barrier) char storage[sizeof(Barrier)];
  __shared__ int rounds_seen;
  Barrier& barrier = *reinterpret_cast<Barrier*>(storage);
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    rounds_seen = 0;
  }
  __syncthreads();
  for (int round = 0; round < 4; ++round) {
    if (static_cast<int>(threadIdx.x) % 4 < round) {
      barrier.arrive_and_drop();
      return;
    }
    atomicAdd(&rounds_seen, 1);
    barrier.arrive_and_wait();
    if (threadIdx.x == 3) out[round] = rounds_seen;
    barrier.arrive_and_wait();
  }
}
