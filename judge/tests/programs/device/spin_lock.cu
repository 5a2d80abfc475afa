// Locks: a test-and-set lock with back-off taken by every thread, and a ticket lock taken by blocks.
extern "C" __global__ void spin_lock(int* lock, int* counter, int* order) {
  bool done = false;
  unsigned wait = 8;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      const int mine = *static_cast<volatile int*>(counter);
      *static_cast<volatile int*>(counter) = mine + 1;
      order[mine] = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    } else {
      __nanosleep(wait);
      wait = wait < 256 ? wait * 2 : wait;
    }
  }
}

extern "C" __global__ void ticket_lock(unsigned* tickets, unsigned* serving, int* values) {
  __shared__ unsigned mine;
  if (threadIdx.x == 0) {
    mine = atomicAdd(tickets, 1);
    while (atomicAdd(serving, 0) != mine) {
    }
    __threadfence();
  }
  __syncthreads();
  values[threadIdx.x] = values[threadIdx.x] * 2 + 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(serving, 1);
}
