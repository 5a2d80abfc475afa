// Arithmetic: divisions, roots, rounding directions, conversions between all widths, integer corners.
#include <cuda_runtime.h>

__global__ void mathematics(float* f, double* d, int* i, unsigned* u, long long* l, unsigned long long* ul, short* s, char* c) {
  f[0] = f[1] / f[2] + sqrtf(f[3]) + 1.f / f[4] + __fdividef(f[5], f[6]) + rsqrtf(f[7]) + cosf(f[8]) + logf(f[9]) + exp2f(f[10]) + powf(f[11], f[12]);
  f[13] = __fadd_rz(f[1], f[2]) + __fmul_ru(f[3], f[4]) + __fmaf_rd(f[5], f[6], f[7]) + __fdiv_rz(f[1], f[8]) + __fsqrt_ru(f[9]) + __frcp_rd(f[2]);
  f[14] = rintf(f[1]) + truncf(f[2]) + floorf(f[3]) + ceilf(f[4]) + roundf(f[5]) + copysignf(f[6], f[7]) + fminf(f[8], f[9]) + fmaxf(f[10], fabsf(f[11])) + __saturatef(f[12]);
  d[0] = d[1] / d[2] + sqrt(d[3]) + 1.0 / d[4] + exp(d[5]) + log(d[6]) + fma(d[7], d[8], d[9]) + __dadd_rn(d[1], d[2]) + rint(d[3]) + fmax(d[4], d[5]);
  i[0] = i[1] / i[2] + i[3] % i[4] + __mulhi(i[5], i[6]) + __mul24(i[7], i[8]) + abs(i[9]) + max(i[10], i[11]) + __sad(i[12], i[13], u[1]) + __dp4a(i[14], i[15], i[16]);
  u[0] = u[1] / u[2] + u[3] % u[4] + __umulhi(u[5], u[6]) + __brev(u[7]) + __byte_perm(u[8], u[9], u[10]) + __funnelshift_l(u[11], u[12], u[13]) + __funnelshift_rc(u[14], u[15], u[16]);
  l[0] = l[1] / l[2] + l[3] % l[4] + __mul64hi(l[5], l[6]) + __popcll(l[7]) + __clzll(l[8]) + __brevll(l[9]) + (l[10] >> i[1]) + static_cast<long long>(i[2]) * i[3];
  ul[0] = ul[1] / ul[2] + (ul[3] << u[1]) + static_cast<unsigned long long>(u[2]) * u[3] + clock64();
  s[0] = static_cast<short>(f[1]) + static_cast<short>(s[1] * s[2]) + static_cast<short>(d[1]);
  c[0] = static_cast<char>(f[1]) + c[1] * c[2];
  f[20] = static_cast<float>(i[1]) + static_cast<float>(u[1]) + static_cast<float>(l[1]) + static_cast<float>(ul[1]) + static_cast<float>(d[1]) + s[1] + c[1];
  d[10] = static_cast<double>(i[1]) + static_cast<double>(ul[1]) + f[1] + __int_as_float(i[1]) + __longlong_as_double(l[1]);
  i[20] = static_cast<int>(f[1]) + static_cast<int>(d[1]) + __float2int_rn(f[2]) + __float2int_ru(f[3]) + __double2int_rd(d[2]) + __float_as_int(f[4]);
  u[20] = static_cast<unsigned>(f[1]) + __float2uint_rn(f[2]); l[20] = static_cast<long long>(f[1]) + static_cast<long long>(d[1]); ul[20] = static_cast<unsigned long long>(f[1]);
}
