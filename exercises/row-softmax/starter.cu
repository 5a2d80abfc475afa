// Softmax of rows of any length and any stride: y = exp(x - m) / sum(exp(x - m)), m the largest of the row.
//
// The whole file is yours: kernels, launch configuration, choice by shape. Only the launch function's signature is fixed.
// The contract and what is measured stand in problem.md.
//
// Run it: ./workbook run row-softmax
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/check.cuh"   // WARPBOOK_TRY
#include "common/kernel/reduce.cuh"  // warp_reduce, block_reduce, Sum, Max

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  (void)x, (void)y, (void)rows, (void)cols, (void)x_stride, (void)y_stride;
  return cudaErrorNotSupported;  // nothing here yet
}
