// Inline PTX as programs write it: special registers, scoped registers, cache hints, packed bytes, prefetches, clocks.
__device__ __forceinline__ unsigned special(int which) {
  unsigned value = 0;
  switch (which) {
    case 0: asm volatile("mov.u32 %0, %%laneid;" : "=r"(value)); break;
    case 1: asm volatile("mov.u32 %0, %%warpid;" : "=r"(value)); break;
    case 2: asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(value)); break;
    case 3: asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(value)); break;
    case 4: asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(value)); break;
    case 5: asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(value)); break;
    case 6: asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(value)); break;
    case 7: asm volatile("mov.u32 %0, %%nsmid;" : "=r"(value)); break;
  }
  return value;
}

extern "C" __global__ void inline_ptx(const int* in, int* out, unsigned* specials) {
  const int t = threadIdx.x;
  int value;
  asm volatile("prefetch.global.L2 [%0];" ::"l"(in + t));
  asm volatile("{ .reg .b64 policy;\n"
               "  createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
               "  ld.global.nc.L1::no_allocate.L2::cache_hint.b32 %0, [%1], policy; }"
               : "=r"(value)
               : "l"(in + t));
  int folded;
  asm("{ .reg .pred p; setp.gt.s32 p, %1, 7; @p mul.lo.s32 %0, %1, 3; @!p sub.s32 %0, 0, %1; }" : "=r"(folded) : "r"(value));
  unsigned bytes;
  asm("prmt.b32 %0, %1, %2, 0x5140;" : "=r"(bytes) : "r"(value), "r"(t));
  unsigned total;
  asm("{ .reg .u32 a; mad.lo.u32 a, %1, 2, %2; lop3.b32 %0, a, %1, %2, 0x96; }" : "=r"(total) : "r"(bytes), "r"(folded));
  unsigned long long before, after;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(before));
  asm volatile("nanosleep.u32 20;");
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(after));
  asm volatile("st.global.cs.b32 [%0], %1;" ::"l"(out + t), "r"(static_cast<int>(total) + (before == 0 && after == 0)));
  for (int i = 0; i < 8; ++i) specials[i * blockDim.x + t] = special(i);
}
