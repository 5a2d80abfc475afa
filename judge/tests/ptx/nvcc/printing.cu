// printf, assert and trap: external functions, argument buffers in local memory.
#include <cassert>
#include <cstdio>

__global__ void speak(const int* x, int n, double d) {
  assert(n > 0);
  if (x[threadIdx.x] < 0) printf("lane %d holds %d, %f\n", threadIdx.x, x[threadIdx.x], d);
  if (x[threadIdx.x] == 77) __trap();
}
