// Device functions called through pointers: from a table in device memory, and from a variable that the host reads and passes on.
#include <cstdio>

using Step = int (*)(int);

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int squared(int x) { return x * x; }
__device__ __noinline__ int negated(int x) { return -x; }

__device__ Step steps[3] = {twice, squared, negated};
__device__ Step chosen = squared;

__global__ void apply(int* values, Step last) {
  const int i = threadIdx.x;
  values[i] = last(steps[i % 3](values[i]));
}

int main() {
  int values[6] = {1, 2, 3, 4, 5, 6};
  int* on_device;
  Step step;
  cudaMemcpyFromSymbol(&step, chosen, sizeof step);
  cudaMalloc(&on_device, sizeof values);
  cudaMemcpy(on_device, values, sizeof values, cudaMemcpyHostToDevice);
  apply<<<1, 6>>>(on_device, step);
  cudaMemcpy(values, on_device, sizeof values, cudaMemcpyDeviceToHost);
  for (const int value : values) std::printf("%d ", value);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  cudaFree(on_device);
}
