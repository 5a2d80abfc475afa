// Calls, the stack, constants, printf, assert, traps.
#include <cassert>
#include <cstdio>

struct Wide {
  int numbers[6];
  double factor;
};
typedef float (*Unary)(float);

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ float next(float x) { return x + 1.0f; }
__device__ __noinline__ float twice(float x) { return x * 2.0f; }
__device__ __noinline__ float early(float x) {
  if (x > 10.0f) return 10.0f;
  return x < 0.0f ? 0.0f : x;
}
__device__ __noinline__ double pick(Wide wide, int which) { return wide.numbers[which] * wide.factor; }
__device__ __noinline__ int endless(volatile int* p) { return *p == 77 ? 0 : endless(p) * 3 + *p; }
__device__ Unary table[3] = {next, twice, early};
__constant__ float weights[4] = {1.0f, 2.0f, 4.0f, 8.0f};
__device__ int counter = 5;

extern "C" __global__ void recurse(int* out) { out[threadIdx.x] = fibonacci((int)threadIdx.x % 11); }
extern "C" __global__ void through_pointers(float* out) {
  const int t = threadIdx.x;
  out[t] = table[t % 3](weights[t & 3] * t) + weights[1];
}
extern "C" __global__ void by_value(double* out, Wide wide) {
  wide.numbers[1] = threadIdx.x;
  out[threadIdx.x] = pick(wide, threadIdx.x % 6);
}
extern "C" __global__ void by_index(int* out, const __grid_constant__ Wide wide) { out[threadIdx.x] = wide.numbers[threadIdx.x % 6]; }
extern "C" __global__ void count(int* out) {
  out[threadIdx.x] = atomicAdd(&counter, 2);
}
extern "C" __global__ void say(int n) {
  printf("t %d of %u: %5.2f|%-6s|%lld|%x|%c|%%|%e|%p\n", (int)threadIdx.x, blockDim.x, 1.5 * n, "abc", 1ll << 40, 255, 'z', 0.125, (void*)16);
}
extern "C" __global__ void check(const int* in) { assert(in[threadIdx.x] < 5); }
extern "C" __global__ void stop(const int* in) {
  if (in[0] == 0) __trap();
}
extern "C" __global__ void overflow_stack(int* out) { out[0] = endless(out); }
extern "C" __global__ void wild_call(float* out) { out[0] = ((Unary)(unsigned long long)(out[0] + 4096.0f))(1.0f); }
extern "C" __global__ void on_the_heap(int** out) { out[0] = (int*)malloc(16); }
extern "C" __global__ void local_array(const int* index, float* out) {
  float a[32];
  for (int i = 0; i < 32; ++i) a[i] = i * (float)threadIdx.x;
  float sum = 0;
  for (int i = 0; i < 32; ++i) sum += a[index[i] & 31];
  out[threadIdx.x] = sum;
}
extern "C" __global__ void clocks(long long* out) {
  const long long begin = clock64();
  out[1] = out[0] * 3;
  out[0] = clock64() - begin;
}
