// Attention of one query a row over keys of its own, any stride: out = sum_j softmax(s)_j v_j, s_j = scale (q . k_j) + mask_j.
//
// The whole file is yours: kernels, launch configuration, choice by shape. Only the launch function's signature is fixed.
// The contract and what is measured stand in problem.md.
//
// Run it: ./workbook run softmax-attention-row
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/check.cuh"   // WARPBOOK_TRY
#include "common/kernel/reduce.cuh"  // warp_reduce, block_reduce, Sum, Max

cudaError_t launch_attention_row(const float* q,     // [rows, cols], dense
                                 const float* k,     // [rows * keys, cols], row stride k_stride
                                 const float* v,     // [rows * keys, cols], row stride v_stride
                                 const float* mask,  // [rows, keys], dense, or null
                                 float* out,         // [rows, cols], dense
                                 int rows, int keys, int cols, float scale, long long k_stride, long long v_stride) {
  (void)q, (void)k, (void)v, (void)mask, (void)out, (void)rows, (void)keys, (void)cols, (void)scale, (void)k_stride, (void)v_stride;
  return cudaErrorNotSupported;  // nothing here yet
}
