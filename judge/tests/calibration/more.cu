// What calib.cu leaves open: how atomics on neighbouring and on equal addresses are counted, wide accesses to shared memory of which only
// some lanes take part or which lanes share, partial requests, local arrays, cp.async. One block of one warp each, all with the same
// arguments, so that one line launches them all. `a`: 1 MB of zeros; `o`: 64 KB.
// build: nvcc -O3 -arch=sm_90 -lineinfo -o more more.cu;  run: ncu --clock-control none --csv --page raw --metrics $(cat metrics.txt)
// ./more
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdio>

#define KERNEL(name) __global__ void name(float* a, float* o)
#define L static_cast<int>(threadIdx.x)
using Long = unsigned long long;
#define MIXED ((L * L * 7 + L * 3) & 63)

// Global loads and stores.
KERNEL(l_pairs8) { o[L] = a[(L >> 1) * 8]; }  // 16 addresses in 16 sectors: is the ideal 2 or 4?
KERNEL(l_permuted) { o[L] = a[(L * 7) & 31]; }
KERNEL(l_lines) { o[L] = a[L * 33]; }
KERNEL(l_mixed) { o[L] = a[MIXED * 5]; }
KERNEL(l_odd) {
  if (L & 1) o[L] = a[L];
}
KERNEL(l_odd_far) {
  if (L & 1) o[L * 9] = a[L * 9];
}
KERNEL(l_three_wide) {
  if (L < 3) o[L] = reinterpret_cast<float4*>(a)[L * 2].w + reinterpret_cast<float4*>(a)[L * 2].x;
}
KERNEL(l_short) { o[L] = reinterpret_cast<const short*>(a)[L * 3]; }
KERNEL(l_pair_far) {
  float2 v = reinterpret_cast<float2*>(a)[L * 3];
  o[L] = v.x + v.y;
}
KERNEL(l_volatile) { o[L] = *const_cast<volatile float*>(a + L * 2); }
KERNEL(st_far) { o[L * 8] = 1; }
KERNEL(st_one) { o[0] = static_cast<float>(L); }
KERNEL(st_wide) { reinterpret_cast<float4*>(o)[L * 2] = make_float4(1, 2, 3, 4); }
KERNEL(st_byte) { reinterpret_cast<char*>(o)[L * 40] = 1; }

// Reductions (no result wanted) and atomics (result wanted) in global memory.
KERNEL(r_each) { atomicAdd(o + L, a[L]); }
KERNEL(r_far) { atomicAdd(o + L * 8, a[L]); }
KERNEL(r_pairs) { atomicAdd(o + (L >> 1), a[L]); }
KERNEL(r_pairs_far) { atomicAdd(o + (L >> 1) * 8, a[L]); }
KERNEL(r_four) { atomicAdd(o + (L & 3), a[L]); }
KERNEL(r_odd) {
  if (L & 1) atomicAdd(o + L, a[L]);
}
KERNEL(r_odd_one) {
  if (L & 1) atomicAdd(o, a[L]);
}
KERNEL(r_double) { atomicAdd(reinterpret_cast<double*>(o) + L, static_cast<double>(a[L])); }
KERNEL(r_double_one) { atomicAdd(reinterpret_cast<double*>(o), static_cast<double>(a[L])); }
KERNEL(r_int_each) { atomicAdd(reinterpret_cast<int*>(o) + L, L); }
KERNEL(r_int_max) { atomicMax(reinterpret_cast<int*>(o) + (L & 1), L); }
KERNEL(r_int_xor) { atomicXor(reinterpret_cast<int*>(o) + (L & 7), L); }
KERNEL(t_each) { o[L] = atomicAdd(o + 64 + L, a[L]); }
KERNEL(t_one) { o[L] = atomicAdd(o + 64, a[L]); }
KERNEL(t_pairs) { o[L] = atomicAdd(o + 64 + (L >> 1), a[L]); }
KERNEL(t_far) { o[L] = atomicAdd(o + 64 + L * 8, a[L]); }
KERNEL(t_odd_one) {
  if (L & 1) o[L] = atomicAdd(o + 64, a[L]);
}
KERNEL(t_cas) { o[L] = static_cast<float>(atomicCAS(reinterpret_cast<int*>(o) + 64 + (L & 3), 0, L)); }
KERNEL(t_exchange) { o[L] = atomicExch(o + 64 + (L & 3), a[L]); }
KERNEL(t_long) { o[L] = static_cast<float>(atomicAdd(reinterpret_cast<Long*>(o) + 64 + L, Long{3} * L)); }

// Shared memory.
#define SHARED(type, count)                            \
  __shared__ type s[count];                            \
  for (int i = L; i < (count); i += 32) s[i] = type{}; \
  __syncwarp()
__device__ float total(float2 v) { return v.x + v.y; }
__device__ float total(float4 v) { return v.x + v.y + v.z + v.w; }
KERNEL(w1_mixed) {
  SHARED(float, 512);
  o[L] = s[MIXED];
}
KERNEL(w1_mixed5) {
  SHARED(float, 512);
  o[L] = s[MIXED * 5];
}
KERNEL(w1_two_words) {
  SHARED(float, 512);
  o[L] = s[(L & 1) * 32];
}
KERNEL(w1_odd) {
  SHARED(float, 512);
  if (L & 1) o[L] = s[L * 4];
}
KERNEL(w1_byte) {
  SHARED(char, 2048);
  o[L] = s[L * 64];
}
KERNEL(w1_short_far) {
  SHARED(short, 2048);
  o[L] = s[L * 32 + (L & 1)];
}
KERNEL(w2_one) {
  SHARED(float2, 256);
  o[L] = total(s[7]);
}
KERNEL(w2_halves_same) {
  SHARED(float2, 256);
  o[L] = total(s[L & 15]);
}
KERNEL(w2_pairs) {
  SHARED(float2, 256);
  o[L] = total(s[L >> 1]);
}
KERNEL(w2_low_half) {
  SHARED(float2, 256);
  if (L < 16) o[L] = total(s[L]);
}
KERNEL(w2_odd) {
  SHARED(float2, 256);
  if (L & 1) o[L] = total(s[L]);
}
KERNEL(w2_eight) {
  SHARED(float2, 256);
  if (L % 4 == 0) o[L] = total(s[L]);
}
KERNEL(w2_stride3) {
  SHARED(float2, 256);
  o[L] = total(s[L * 3]);
}
KERNEL(w2_stride4) {
  SHARED(float2, 256);
  o[L] = total(s[L * 4]);
}
KERNEL(w2_mixed) {
  SHARED(float2, 256);
  o[L] = total(s[MIXED]);
}
KERNEL(w2_mixed3) {
  SHARED(float2, 256);
  o[L] = total(s[MIXED * 3]);
}
KERNEL(w2_two) {
  SHARED(float2, 256);
  o[L] = total(s[(L & 1) * 16]);
}
KERNEL(w2_ends) {
  SHARED(float2, 256);
  if (L == 0 || L == 31) o[L] = total(s[L]);
}
KERNEL(w4_one) {
  SHARED(float4, 256);
  o[L] = total(s[7]);
}
KERNEL(w4_quarters_same) {
  SHARED(float4, 256);
  o[L] = total(s[L & 7]);
}
KERNEL(w4_pairs) {
  SHARED(float4, 256);
  o[L] = total(s[L >> 1]);
}
KERNEL(w4_fours) {
  SHARED(float4, 256);
  o[L] = total(s[L >> 2]);
}
KERNEL(w4_low_quarter) {
  SHARED(float4, 256);
  if (L < 8) o[L] = total(s[L]);
}
KERNEL(w4_low_half) {
  SHARED(float4, 256);
  if (L < 16) o[L] = total(s[L]);
}
KERNEL(w4_odd) {
  SHARED(float4, 256);
  if (L & 1) o[L] = total(s[L]);
}
KERNEL(w4_ends) {
  SHARED(float4, 256);
  if (L == 0 || L == 31) o[L] = total(s[L]);
}
KERNEL(w4_stride3) {
  SHARED(float4, 256);
  o[L] = total(s[L * 3]);
}
KERNEL(w4_stride4) {
  SHARED(float4, 256);
  o[L] = total(s[L * 4]);
}
KERNEL(w4_mixed) {
  SHARED(float4, 256);
  o[L] = total(s[MIXED]);
}
KERNEL(w4_two) {
  SHARED(float4, 256);
  o[L] = total(s[(L & 1) * 8]);
}
KERNEL(w4_store_mixed) {
  SHARED(float4, 256);
  s[MIXED] = make_float4(a[L], 1, 2, 3);
  __syncwarp();
  o[L] = s[L].x;
}
KERNEL(w2_store_mixed) {
  SHARED(float2, 256);
  s[MIXED] = make_float2(a[L], 1);
  __syncwarp();
  o[L] = s[L].x;
}
KERNEL(w1_store_mixed) {
  SHARED(float, 256);
  s[MIXED] = a[L];
  __syncwarp();
  o[L] = s[L];
}
KERNEL(w1_store_one) {
  SHARED(float, 256);
  s[0] = a[L];
  __syncwarp();
  o[L] = s[L];
}

// Atomics in shared memory.
KERNEL(x_int_each) {
  SHARED(int, 256);
  o[L] = atomicAdd(s + L, L);
}
KERNEL(x_int_one) {
  SHARED(int, 256);
  o[L] = atomicExch(s, L);
}
KERNEL(x_int_pairs) {
  SHARED(int, 256);
  o[L] = atomicExch(s + (L >> 1), L);
}
KERNEL(x_int_banks) {
  SHARED(int, 1056);
  o[L] = atomicExch(s + L * 32, L);
}
KERNEL(x_int_max) {
  SHARED(int, 256);
  atomicMax(s + (L & 3), L);
  __syncwarp();
  o[L] = s[L];
}
KERNEL(x_int_cas) {
  SHARED(int, 256);
  o[L] = atomicCAS(s + (L & 3), 0, L);
}
KERNEL(x_long_each) {
  SHARED(Long, 256);
  o[L] = atomicAdd(s + L, Long{3} * L);
}
KERNEL(x_float_each) {
  SHARED(float, 256);
  atomicAdd(s + L, a[L]);
  __syncwarp();
  o[L] = s[L];
}
KERNEL(x_float_pairs) {
  SHARED(float, 256);
  atomicAdd(s + (L >> 1), a[L]);
  __syncwarp();
  o[L] = s[L];
}
KERNEL(x_float_banks) {
  SHARED(float, 1056);
  atomicAdd(s + L * 32, a[L]);
  __syncwarp();
  o[L] = s[L];
}
KERNEL(x_float_odd_one) {
  SHARED(float, 256);
  if (L & 1) atomicAdd(s, a[L]);
  __syncwarp();
  o[L] = s[L];
}
KERNEL(x_double_pairs) {
  SHARED(double, 256);
  atomicAdd(s + (L >> 1), a[L]);
  __syncwarp();
  o[L] = s[L];
}

// Local arrays: an index that the compiler cannot see keeps them in memory.
KERNEL(p_same) {
  float v[32];
  for (int i = 0; i < 32; ++i) v[i] = a[i];
  o[L] = v[static_cast<int>(a[64]) & 31];
}
KERNEL(p_each) {
  float v[32];
  for (int i = 0; i < 32; ++i) v[i] = a[i];
  o[L] = v[(static_cast<int>(a[64]) + L) & 31];
}
KERNEL(p_odd) {
  float v[32];
  for (int i = 0; i < 32; ++i) v[i] = a[i];
  if (L & 1) o[L] = v[static_cast<int>(a[64 + L]) & 31];
}
KERNEL(p_double) {
  double v[16];
  for (int i = 0; i < 16; ++i) v[i] = a[i];
  o[L] = static_cast<float>(v[(static_cast<int>(a[64]) + L) & 15]);
}
KERNEL(p_byte) {
  char v[64];
  for (int i = 0; i < 64; ++i) v[i] = static_cast<char>(a[i]);
  o[L] = v[(static_cast<int>(a[64]) + L) & 63];
}

// Copies that pass registers by.
KERNEL(c_four) {
  SHARED(float, 32);
  __pipeline_memcpy_async(s + L, a + L, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  o[L] = s[L];
}
KERNEL(c_sixteen) {
  SHARED(float4, 32);
  __pipeline_memcpy_async(s + L, reinterpret_cast<float4*>(a) + L, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  o[L] = s[L].x;
}

#define ALL(X)                                                                                                                             \
  X(l_pairs8)                                                                                                                              \
  X(l_permuted) X(l_lines) X(l_mixed) X(l_odd) X(l_odd_far) X(l_three_wide) X(l_short) X(l_pair_far) X(l_volatile) X(st_far) X(st_one)     \
      X(st_wide) X(st_byte) X(r_each) X(r_far) X(r_pairs) X(r_pairs_far) X(r_four) X(r_odd) X(r_odd_one) X(r_double) X(r_double_one)       \
          X(r_int_each) X(r_int_max) X(r_int_xor) X(t_each) X(t_one) X(t_pairs) X(t_far) X(t_odd_one) X(t_cas) X(t_exchange) X(t_long)     \
              X(w1_mixed) X(w1_mixed5) X(w1_two_words) X(w1_odd) X(w1_byte) X(w1_short_far) X(w2_one) X(w2_halves_same) X(w2_pairs)        \
                  X(w2_low_half) X(w2_odd) X(w2_eight) X(w2_stride3) X(w2_stride4) X(w2_mixed) X(w2_mixed3) X(w2_two) X(w2_ends) X(w4_one) \
                      X(w4_quarters_same) X(w4_pairs) X(w4_fours) X(w4_low_quarter) X(w4_low_half) X(w4_odd) X(w4_ends) X(w4_stride3)      \
                          X(w4_stride4) X(w4_mixed) X(w4_two) X(w4_store_mixed) X(w2_store_mixed) X(w1_store_mixed) X(w1_store_one)        \
                              X(x_int_each) X(x_int_one) X(x_int_pairs) X(x_int_banks) X(x_int_max) X(x_int_cas) X(x_long_each)            \
                                  X(x_float_each) X(x_float_pairs) X(x_float_banks) X(x_float_odd_one) X(x_double_pairs) X(p_same)         \
                                      X(p_each) X(p_odd) X(p_double) X(p_byte) X(c_four) X(c_sixteen)

int main() {
  float *a = nullptr, *o = nullptr;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&o, 1 << 16);
  cudaMemset(a, 0, 1 << 20);
  cudaMemset(o, 0, 1 << 16);
#define RUN(name) name<<<1, 32>>>(a, o);
  ALL(RUN)
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
