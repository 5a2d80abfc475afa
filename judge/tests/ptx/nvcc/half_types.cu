// Half and bfloat16: arithmetic, packing, conversion, comparison.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void halves(const __half2* a, const __nv_bfloat162* b, __half2* y, __nv_bfloat162* z, float* f) {
  int i = threadIdx.x;
  __half2 p = __hfma2(a[i], a[i + 1], a[i + 2]);
  y[i] = __hmax2(h2exp(p), __hmul2(p, a[i]));
  __nv_bfloat162 q = __hfma2(b[i], b[i + 1], b[i + 2]);
  z[i] = __hadd2(q, b[i]);
  f[i] = __half2float(__low2half(p)) + __bfloat162float(__high2bfloat16(q));
  if (__hlt(__low2half(p), __high2half(p))) f[i + 1] = __half2float(hsqrt(__low2half(p))) - __half2float(__hneg(__high2half(a[i])));
  z[i + 64] = __floats2bfloat162_rn(f[i], f[i + 2]);
  y[i + 64] = __floats2half2_rn(f[i], f[i + 2]);
  f[i + 3] = __half2int_rn(__low2half(p)) + __half2float(__ushort2half_rn(static_cast<unsigned short>(i)));
}
