// verdict: AC
// Sum and maximum of every row with blocks rounded up to whole warps: with all 32 lanes alive a butterfly will do.
//
// The idea: launch the next multiple of 32 threads; the extra ones bring the identity. Then every warp can collect by itself
// and nobody broadcasts: two barriers a call. This is what common/kernel/reduce.cuh does for the later lessons.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::kWarpSize;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

__global__ void row_sum_max_kernel(const float* __restrict__ x,  // [rows, cols], dense
                                   float* __restrict__ sum,      // [rows]
                                   float* __restrict__ max,      // [rows]
                                   int cols) {
  __shared__ float partials[kMaxWarps];
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  float my_sum = Sum::identity();
  float my_max = Max::identity();
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    my_sum = Sum::combine(my_sum, row[col]);
    my_max = Max::combine(my_max, row[col]);
  }
  const float total = block_reduce<Sum>(my_sum, partials);
  const float largest = block_reduce<Max>(my_max, partials);
  if (threadIdx.x == blockDim.x - 1) {
    sum[blockIdx.x] = total;
    max[blockIdx.x] = largest;
  }
}

}  // namespace

cudaError_t launch_row_sum_max(const float* x, float* sum, float* max, int rows, int cols, int threads) {
  const int whole = (threads + kWarpSize - 1) / kWarpSize * kWarpSize;
  row_sum_max_kernel<<<rows, whole>>>(x, sum, max, cols);
  return cudaGetLastError();
}
