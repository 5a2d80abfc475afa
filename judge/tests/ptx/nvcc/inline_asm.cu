// Inline assembly: nested scopes that declare registers and labels of the same names again, packing, carries, wide constants.
#include <cuda_runtime.h>

__device__ unsigned long long add128(unsigned long long a, unsigned long long b, unsigned long long c) {
  unsigned long long lo, hi;
  asm("add.cc.u64 %0, %2, %3;\n\taddc.u64 %1, %4, 0x8000000000000001U;" : "=l"(lo), "=l"(hi) : "l"(a), "l"(b), "l"(c));
  return lo ^ hi;
}

__device__ int count_down(int n) {
  int steps;
  asm volatile(
      "{ .reg .pred p; .reg .s32 left; mov.s32 left, %1; mov.s32 %0, 0;\n"
      "AGAIN: setp.le.s32 p, left, 0; @p bra DONE; add.s32 %0, %0, 1; sub.s32 left, left, 1; bra AGAIN;\n"
      "DONE: }"
      : "=r"(steps) : "r"(n));
  return steps;
}

__global__ void assembly(const unsigned* x, unsigned long long* y, float* f, int n) {
  unsigned v = x[threadIdx.x], lane, mask, perm, three;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(perm) : "r"(v), "r"(lane));
  asm("lop3.b32 %0, %1, %2, %3, 0b10010110;" : "=r"(three) : "r"(v), "r"(lane), "r"(mask));
  asm volatile("{.reg .f16 low,high; mov.b32 {low,high}, %1; cvt.f32.f16 %0, low;}" : "=f"(f[lane]) : "r"(v));
  asm volatile("st.global.cs.v2.u32 [%0], {%1, %2};" ::"l"(y + 8), "r"(perm), "r"(three) : "memory");
  asm volatile("{ .reg .pred q; setp.ne.u32 q, %0, 017; @!q membar.gl; }" ::"r"(v) : "memory");
  y[threadIdx.x] = add128(v, lane, mask) + count_down(n) + count_down(n + 1);
}
