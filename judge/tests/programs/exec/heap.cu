// How much malloc of the device gives out: 8 MB, or what cudaDeviceSetLimit said before the first kernel.
#include <cstdio>
#include <cstdlib>

__global__ void take(int pieces, int bytes, int* got) {
  *got = 0;
  for (int i = 0; i < pieces; ++i) {
    if (malloc(bytes) != nullptr) ++*got;
  }
}

int main(int argc, char** argv) {
  if (argc > 1) {
    const cudaError_t set = cudaDeviceSetLimit(cudaLimitMallocHeapSize, std::strtoull(argv[1], nullptr, 10) << 20);
    if (set != cudaSuccess) return 2;
  }
  size_t limit = 0;
  cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
  int *on_device, got = 0;
  cudaMalloc(&on_device, sizeof got);
  take<<<1, 1>>>(32, 1 << 20, on_device);
  cudaMemcpy(&got, on_device, sizeof got, cudaMemcpyDeviceToHost);
  cudaFree(on_device);
  std::printf("limit %zu MB, %s\n", limit >> 20, got < 32 ? "not all of 32 MB" : "all of 32 MB");
  std::printf("%s\n", got > 0 ? "some" : "none");
}
