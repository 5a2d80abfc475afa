// libcu++: cuda::atomic_ref and cuda::atomic with orders and scopes, a floating-point maximum by compare and exchange, a mailbox.
#include <cuda/atomic>

extern "C" __global__ void atomic_ref(const float* in, int n, unsigned* histogram, float* largest, unsigned long long* total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> bin(histogram[static_cast<int>(in[i]) & 7]);
  bin.fetch_add(1, cuda::memory_order_relaxed);
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> sum(*total);
  sum.fetch_add(static_cast<unsigned long long>(i));
  cuda::atomic_ref<float, cuda::thread_scope_device> most(*largest);
  float seen = most.load(cuda::memory_order_acquire);
  while (seen < in[i] && !most.compare_exchange_weak(seen, in[i], cuda::memory_order_acq_rel)) {
  }
}

// Block 0 writes a message and raises a flag; the others wait for the flag and read.
extern "C" __global__ void mailbox(int* message, int* flag, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> raised(*flag);
  if (blockIdx.x == 0) {
    message[threadIdx.x] = 100 + static_cast<int>(threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) raised.store(1, cuda::memory_order_release);
  } else {
    if (threadIdx.x == 0) {
      while (raised.load(cuda::memory_order_acquire) == 0) {
      }
    }
    __syncthreads();
    out[(blockIdx.x - 1) * blockDim.x + threadIdx.x] = message[threadIdx.x];
  }
}
