// Top-p (nucleus) sampling from rows of logits: of the tokens in falling order of their logits the fewest whose probability reaches p,
// and of those the first at which the running sum passes u times the sum of those kept.
//
// The whole file is yours: kernels, launch configuration, choice by shape. Only the launch function's signature is fixed.
// The contract and what is measured stand in problem.md.
//
// Run it: ./workbook run top-p
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/check.cuh"   // WARPBOOK_TRY
#include "common/kernel/reduce.cuh"  // warp_reduce, block_reduce, Sum, Max

cudaError_t launch_top_p(const float* logits,   // [rows, cols], row stride logits_stride
                         const float* uniform,  // [rows], in [0, 1)
                         int* token,            // [rows]: the column drawn, or -1
                         int* kept,             // [rows], how many tokens could have been drawn; or null
                         int rows, int cols, float p, long long logits_stride) {
  (void)logits, (void)uniform, (void)token, (void)kept, (void)rows, (void)cols, (void)p, (void)logits_stride;
  return cudaErrorNotSupported;  // nothing here yet
}
