// Five exchanges: 32 values become their sum, in every lane. Each lane asks the one whose number differs in one bit.
//
// threads 32
// in x 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3
// in x 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
// out y 32
#include "common/kernel/watch.cuh"

__global__ void butterfly(const float* x,  // [32]
                          float* y) {      // [32]
  const int lane = threadIdx.x;
  float sum = x[lane];
  WATCH(sum);
#pragma unroll 1
  for (int bit = 16; bit != 0; bit >>= 1) {
    const int partner = lane ^ bit;
    const float theirs = __shfl_sync(0xffffffffu, sum, partner);
    sum += theirs;
    WATCH(bit);
    WATCH(partner);
    WATCH(theirs);
    WATCH(sum);
  }
  y[lane] = sum;
}
