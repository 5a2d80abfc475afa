// Memory of every kind: managed (allocated and __managed__), pinned and registered host memory that kernels use, stream-ordered memory
// and pools, copies of two and three dimensions, symbols.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static int checks = 0, failures = 0;
static void check(bool good, const char* what) {
  ++checks;
  if (!good) ++failures, std::printf("wrong: %s (%s)\n", what, cudaGetErrorName(cudaPeekAtLastError()));
}
#define CHECK(expression) check((expression), #expression)
#define OK(call) check((call) == cudaSuccess, #call)

__managed__ int counter = 5;
__managed__ float table[4] = {1, 2, 3, 4};
__constant__ int factor = 3;
__device__ int totals[4];

__global__ void scale(int* x) { x[threadIdx.x] *= factor; }
__global__ void touch() {
  if (threadIdx.x == 0) counter += 1;
  table[threadIdx.x] *= 2;
  totals[threadIdx.x] = threadIdx.x + counter * 0;
}

static void managed() {
  counter = 7;
  touch<<<1, 4>>>();
  OK(cudaDeviceSynchronize());
  CHECK(counter == 8 && table[3] == 8);
  int* address = nullptr;
  OK(cudaGetSymbolAddress(reinterpret_cast<void**>(&address), counter));
  CHECK(address == &counter);
  int* x;
  OK(cudaMallocManaged(&x, 32 * sizeof(int)));
  for (int i = 0; i < 32; ++i) x[i] = i;
  scale<<<1, 32>>>(x);
  OK(cudaDeviceSynchronize());
  CHECK(x[31] == 93);
  int copy[32];
  OK(cudaMemcpy(copy, x, sizeof copy, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(x, copy, sizeof copy, cudaMemcpyDefault));
  CHECK(copy[1] == 3);
  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, x + 1));
  CHECK(attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == x + 1);
  OK(cudaFree(x));
}

static void pinned() {
  int *host, *device;
  OK(cudaHostAlloc(&host, 32 * sizeof(int), cudaHostAllocMapped));
  for (int i = 0; i < 32; ++i) host[i] = 1;
  OK(cudaHostGetDevicePointer(&device, host, 0));
  scale<<<1, 32>>>(device);
  OK(cudaDeviceSynchronize());
  CHECK(host[31] == 3);
  int* plain;
  OK(cudaMalloc(&plain, 32 * sizeof(int)));
  OK(cudaMemcpyAsync(plain, host, 32 * sizeof(int), cudaMemcpyHostToDevice, cudaStreamPerThread));
  OK(cudaMemset(host, 0, 4));
  OK(cudaMemcpy(host, plain, 32 * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(host[0] == 3);
  OK(cudaFree(plain));
  OK(cudaFreeHost(host));
  std::vector<int> own(32, 2);
  OK(cudaHostRegister(own.data(), 32 * sizeof(int), cudaHostRegisterMapped));
  OK(cudaHostGetDevicePointer(&device, own.data(), 0));
  scale<<<1, 32>>>(device);
  OK(cudaDeviceSynchronize());
  CHECK(own[31] == 6);
  OK(cudaHostUnregister(own.data()));
}

static void pools() {
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  cudaMemPool_t pool;
  OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long threshold = ~0ull, used = 0, high = 0;
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  int* x;
  OK(cudaMallocAsync(&x, 4096, stream));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  CHECK(used == 4096);
  OK(cudaMemsetAsync(x, 0, 4096, stream));
  scale<<<1, 32, 0, stream>>>(x);
  OK(cudaFreeAsync(x, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high));
  CHECK(used == 0 && high == 4096);
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t own;
  OK(cudaMemPoolCreate(&own, &props));
  OK(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&x), 64, own, stream));
  OK(cudaFreeAsync(x, stream));
  OK(cudaMemPoolTrimTo(own, 0));
  OK(cudaMemPoolDestroy(own));
  OK(cudaStreamDestroy(stream));
}

static void shapes() {
  const size_t width = 12, height = 3, depth = 2;
  unsigned char source[depth][height][width], back[depth][height][width];
  for (size_t i = 0; i < sizeof source; ++i) (&source[0][0][0])[i] = static_cast<unsigned char>(i);
  cudaPitchedPtr volume;
  OK(cudaMalloc3D(&volume, make_cudaExtent(width, height, depth)));
  OK(cudaMemset3D(volume, 1, make_cudaExtent(width, height, depth)));
  cudaMemcpy3DParms parameters = {};
  parameters.srcPtr = make_cudaPitchedPtr(source, width, width, height);
  parameters.dstPtr = volume;
  parameters.extent = make_cudaExtent(width, height, depth);
  parameters.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&parameters));
  cudaMemcpy3DParms out = {};
  out.srcPtr = volume;
  out.dstPtr = make_cudaPitchedPtr(back, width, width, height);
  out.extent = parameters.extent;
  out.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&out));
  CHECK(!std::memcmp(source, back, sizeof source));
  OK(cudaFree(volume.ptr));
  void* rows;
  size_t pitch;
  OK(cudaMallocPitch(&rows, &pitch, width, height));
  OK(cudaMemcpy2D(rows, pitch, source, width, width, height, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2D(back, width, rows, pitch, width, height, cudaMemcpyDeviceToHost));
  CHECK(back[0][2][11] == 35);
  OK(cudaFree(rows));
}

static void symbols() {
  int numbers[4] = {10, 20, 30, 40}, got[4] = {};
  OK(cudaMemcpyToSymbolAsync(totals, numbers, sizeof numbers, 0, cudaMemcpyHostToDevice, nullptr));
  OK(cudaMemcpyFromSymbol(got, totals, sizeof got));
  CHECK(got[3] == 40);
  const int five = 5;
  OK(cudaMemcpyToSymbol(factor, &five, sizeof five));
  int* x;
  OK(cudaMallocManaged(&x, 32 * sizeof(int)));
  for (int i = 0; i < 32; ++i) x[i] = 1;
  scale<<<1, 32>>>(x);
  OK(cudaDeviceSynchronize());
  CHECK(x[9] == 5);
  OK(cudaFree(x));
}

int main(int argc, char** argv) {
  if (argc > 1 && !std::strcmp(argv[1], "host-pointer")) {
    int* plain = static_cast<int*>(std::malloc(128));
    scale<<<1, 32>>>(plain);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
  }
  managed();
  pinned();
  pools();
  shapes();
  symbols();
  std::printf("%d checks, %d failures\n", checks, failures);
  return failures != 0;
}
