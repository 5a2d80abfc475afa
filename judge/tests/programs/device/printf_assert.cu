// printf with many types and assert that holds.
#include <cassert>
#include <cstdio>

extern "C" __global__ void printf_assert(const int* in, int n) {
  const int t = threadIdx.x;
  assert(t < n);
  if (in[t] > 2) printf("%d: %5.2f %s %c %llu\n", t, in[t] * 0.25, t % 2 == 0 ? "even" : "odd", 'a' + t, 1ull << (32 + t));
  assert(in[t] < 100);
}
