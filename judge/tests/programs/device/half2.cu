// Half precision, two at a time: arithmetic, comparisons, conversions and atomics of __half2.
#include <cuda_fp16.h>

extern "C" __global__ void half2_math(const __half2* a, const __half2* b, __half2* out, float2* wide, __half2* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __half2 x = a[i], y = b[i];
  const __half2 product = __hfma2(x, y, __float2half2_rn(0.5f));
  const __half2 larger = __hmax2(product, __hneg2(x));
  out[i] = __hbgt2(x, y) ? larger : __hadd2_sat(x, y);
  wide[i] = __half22float2(__hsub2(x, y));
  atomicAdd(sum, __halves2half2(__low2half(x), __int2half_rn(i)));
}
