// Switches, recursion, function pointers, structures by value, local arrays.
#include <cuda_runtime.h>

struct Pair { double first; int second[3]; };

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ float twice(float x) { return 2.f * x; }
__device__ __noinline__ float thrice(float x) { return 3.f * x; }
typedef float (*Function)(float);
__device__ Function table[2] = {twice, thrice};
__constant__ float weights[4] = {1.f, 0.5f, 0.25f, 0.125f};
__device__ __managed__ int counter = 7;
__device__ __noinline__ Pair make(double d, int n) { return Pair{d * n, {n, n + 1, n + 2}}; }

__global__ void control(int* y, float* f, int n, Pair by_value) {
  int i = threadIdx.x, r = 0;
  switch (y[i]) {
    case 0: r = i * 3; break;
    case 1: r = i / (n | 1); break;
    case 2: r = i % (n | 1); break;
    case 3: r = __popc(i) + __ffs(n); break;
    case 4: r = __clz(i) << n; break;
    case 5: r = fibonacci(i & 7); break;
    case 6: r = by_value.second[i % 3]; break;
    case 7: f[3] = 1.f; r = 7; break;
    case 8: f[4] = sinf(f[5]); r = 2; break;
    default: r = -1;
  }
  int local[16];
  for (int k = 0; k < 16; ++k) local[k] = y[k] * r;
  y[i] = local[(i * n) & 15] + counter;
  Pair made = make(by_value.first, n);
  f[i] = table[i & 1](f[i]) + weights[i & 3] + static_cast<float>(made.first) + made.second[i & 1];
}
