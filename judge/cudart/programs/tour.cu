// A program like learners write them: its own main, the runtime API, kernels of every linkage. Its first argument chooses a stop of the
// tour; each prints what program_test.cpp expects. Run it on a real GPU to see that the expectations hold there too.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

__constant__ float scale[2] = {2.0f, 3.0f};
__device__ int counter = 5;
static __device__ int hidden[4] = {1, 2, 3, 4};

namespace {

__global__ void saxpy(int n, float a, const float* __restrict__ x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i] * scale[i & 1];
}

struct Pair {
  char tag;
  double value;
};

}  // namespace

template <class T>
__global__ void store(T* out, Pair pair) {
  extern __shared__ double staged[];
  staged[threadIdx.x] = pair.value + threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = static_cast<T>(staged[blockDim.x - 1 - threadIdx.x]) + pair.tag;
}

__global__ void count() { atomicAdd(&counter, hidden[threadIdx.x]); }
__global__ void greet() { printf("thread %d says hello\n", threadIdx.x); }
__global__ void overrun(int* p) { p[threadIdx.x + 1000] = 1; }

static const char* name(cudaError_t code) { return cudaGetErrorName(code); }

static int arithmetic() {
  const int n = 1000;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) x[i] = i, y[i] = 1;
  float *dx, *dy;
  cudaMalloc(&dx, n * sizeof(float));
  cudaMalloc(&dy, n * sizeof(float));
  cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyDefault);
  saxpy<<<(n + 255) / 256, 256>>>(n, 10.0f, dx, dy);
  cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g %g %g\n", y[0], y[1], y[999]);
  const float other[2] = {100, 200};
  cudaMemcpyToSymbol(scale, other, sizeof other);
  cudaMemcpy(dy, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  saxpy<<<4, 256>>>(n, 0.0f, dx, dy);
  cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", y[2], y[3]);
  cudaFree(dx);
  cudaFree(dy);
  std::printf("%s\n", name(cudaGetLastError()));
  return 0;
}

static int structures() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  store<<<1, 32, 32 * sizeof(double)>>>(out, Pair{1, 0.5});
  int got[32];
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", got[0], got[31]);
  Pair pair{2, 8};
  void* arguments[] = {&out, &pair};
  cudaLaunchKernel(reinterpret_cast<const void*>(&store<int>), dim3(1), dim3(4), arguments, 4 * sizeof(double), nullptr);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", got[0], got[3]);
  return 0;
}

static int symbols() {
  count<<<2, 4>>>();
  int got = 0;
  cudaMemcpyFromSymbol(&got, counter, sizeof got);
  std::printf("%d\n", got);
  void* address = nullptr;
  size_t size = 0;
  cudaGetSymbolAddress(&address, hidden);
  cudaGetSymbolSize(&size, hidden);
  int values[4];
  cudaMemcpy(values, address, size, cudaMemcpyDeviceToHost);
  std::printf("%zu %d %d\n", size, values[0], values[3]);
  return 0;
}

static int printing() {
  std::printf("before\n");
  greet<<<1, 3>>>();
  std::printf("between\n");
  cudaDeviceSynchronize();
  std::printf("after\n");
  greet<<<1, 1>>>();
  return 0;  // not synchronised: what was printed still shows
}

static int faults() {
  int* p;
  cudaMalloc(&p, 100);
  overrun<<<1, 1>>>(p);
  std::printf("launch %s\n", name(cudaGetLastError()));
  std::printf("synchronize %s\n", name(cudaDeviceSynchronize()));
  std::printf("last %s\n", name(cudaGetLastError()));
  std::printf("malloc %s\n", name(cudaMalloc(&p, 100)));
  return 0;
}

static int refusals() {
  greet<<<0, 1>>>();
  std::printf("%s\n", name(cudaGetLastError()));
  greet<<<1, 2048>>>();
  std::printf("%s\n", name(cudaGetLastError()));
  int* out = nullptr;
  cudaMalloc(&out, 4);
  store<<<1, 1, 60000>>>(out, Pair{});
  std::printf("%s\n", name(cudaGetLastError()));
  cudaFuncSetAttribute(store<int>, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);
  store<<<1, 1, 60000>>>(out, Pair{});
  std::printf("%s\n", name(cudaGetLastError()));
  std::printf("%s\n", name(cudaMemcpy(out, &out, 8, cudaMemcpyHostToDevice)));
  std::printf("%s\n", name(cudaGetLastError()));
  std::printf("%s\n", name(cudaDeviceSynchronize()));
  return 0;
}

static int queries() {
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  std::printf("warp %d, block %d, capability %s\n", prop.warpSize, prop.maxThreadsPerBlock, prop.major >= 8 ? "8 or newer" : "old");
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, saxpy);
  int grid = 0, block = 0, blocks = 0, version = 0;
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, saxpy, 0, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, saxpy, 256, 0);
  cudaRuntimeGetVersion(&version);
  std::printf("block %d, blocks %d, max %d, version %d\n", block, blocks, attributes.maxThreadsPerBlock, version / 1000);
  cudaStream_t stream;
  cudaEvent_t start, stop;
  cudaStreamCreate(&stream);
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventRecord(start, stream);
  count<<<1, 1, 0, stream>>>();
  cudaEventRecord(stop, stream);
  cudaEventSynchronize(stop);
  float ms = -1;
  cudaEventElapsedTime(&ms, start, stop);
  std::printf("%s %s\n", ms >= 0 ? "timed" : "not timed", name(cudaGetLastError()));
  return 0;
}

int main(int argc, char** argv) {
  const char* stop = argc > 1 ? argv[1] : "";
  if (!std::strcmp(stop, "arithmetic")) return arithmetic();
  if (!std::strcmp(stop, "structures")) return structures();
  if (!std::strcmp(stop, "symbols")) return symbols();
  if (!std::strcmp(stop, "printing")) return printing();
  if (!std::strcmp(stop, "faults")) return faults();
  if (!std::strcmp(stop, "refusals")) return refusals();
  if (!std::strcmp(stop, "queries")) return queries();
  std::fprintf(stderr, "usage: tour arithmetic|structures|symbols|printing|faults|refusals|queries\n");
  return 2;
}
