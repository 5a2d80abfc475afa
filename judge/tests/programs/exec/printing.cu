// What kernels print reaches the program's own output at the next synchronisation, in the order in which it was printed.
#include <cstdio>

__global__ void greet(const float* values) {
  printf("thread %d of block %u holds %.2f and %s, %5u|%-4x|%lld|%c%%\n", threadIdx.x, blockIdx.x, values[threadIdx.x],
         threadIdx.x % 2 == 0 ? "is even" : "is odd", blockIdx.x, 255u, -5ll, 'c');
}

int main() {
  const float values[2] = {1.5f, -0.25f};
  float* on_device;
  cudaMalloc(&on_device, sizeof values);
  cudaMemcpy(on_device, values, sizeof values, cudaMemcpyHostToDevice);
  std::printf("before\n");
  greet<<<2, 2>>>(on_device);
  cudaDeviceSynchronize();
  std::printf("behind\n");
  cudaFree(on_device);
}
