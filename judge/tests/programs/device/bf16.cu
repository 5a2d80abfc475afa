// bfloat16: sums in float, arithmetic in the type itself, maxima with NaN, shuffles of pairs.
#include <cuda_bf16.h>

// A warp per row of 64: out[row] = {sum, maximum} in bfloat16, and the row scaled in place.
extern "C" __global__ void bf16_row(__nv_bfloat162* rows, __nv_bfloat16* out, float scale) {
  __nv_bfloat162* row = rows + blockIdx.x * 32;
  const __nv_bfloat162 x = row[threadIdx.x];
  float sum = __bfloat162float(x.x) + __bfloat162float(x.y);
  __nv_bfloat162 largest = x;
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(~0u, sum, offset);
    largest = __hmax2_nan(largest, __shfl_xor_sync(~0u, largest, offset));
  }
  row[threadIdx.x] = __hmul2(x, __float2bfloat162_rn(scale));
  if (threadIdx.x == 0) {
    out[2 * blockIdx.x] = __float2bfloat16(sum);
    out[2 * blockIdx.x + 1] = __hmax_nan(largest.x, largest.y);
  }
}
