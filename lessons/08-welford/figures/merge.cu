// Parts become one: each lane begins with a part of a single value, and with every exchange two parts of the same size merge. Because they have
// the same size, the mean of both lies in the middle between their means.
//
// threads 32
// in x 1 2 3 6 5 4 8 3 2 2 7 1 9 4 4 6
// in x 3 5 5 2 8 1 6 7 4 9 2 3 7 5 6 1
// out variance 32
#include "common/kernel/watch.cuh"

__device__ float from(float mine, int partner) { return __shfl_sync(0xffffffffu, mine, partner); }

__global__ void merge_equal_parts(const float* x,      // [32]
                                  float* variance) {   // [32]
  const int lane = threadIdx.x;
  float n = 1.0f, mean = x[lane], m2 = 0.0f;
  WATCH(n);
  WATCH(mean);
  WATCH(m2);
#pragma unroll 1
  for (int bit = 1; bit != 32; bit <<= 1) {
    const float apart = from(mean, lane ^ bit) - mean;
    const float between = 0.5f * n * apart * apart;
    m2 += from(m2, lane ^ bit) + between;
    mean += 0.5f * apart;
    n *= 2.0f;
    WATCH(apart);
    WATCH(between);
    WATCH(n);
    WATCH(mean);
    WATCH(m2);
  }
  variance[lane] = m2 / n;
}
