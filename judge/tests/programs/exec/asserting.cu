// An assertion that fails in thread 3 of block 1: the launch ends with cudaErrorAssert, which every later call answers, too.
#include <cassert>
#include <cstdio>

__global__ void check(int limit) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(i != limit && "the limit is not reached");
}

int main(int argc, char**) {
  check<<<2, 32>>>(argc > 1 ? 1000 : 35);
  const cudaError_t ran = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(ran));
  int* memory = nullptr;
  std::printf("%s\n", cudaGetErrorName(cudaMalloc(&memory, 4)));
  cudaFree(memory);
}
