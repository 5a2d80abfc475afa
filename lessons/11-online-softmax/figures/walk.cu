// The walk of online softmax: 32 lanes share a row of 128 logits, and each keeps the largest it has met and the sum as seen from there. Where a
// larger one comes, the sum is moved.
//
// threads 32
// in x -0.5 1 -0.5 -0.6 -1.9 -0.4 2.2 0.8 2.1 0.5 0.8 0.4 -3.3 1.7 1 1
// in x -3.4 -3.5 -1.8 -0.9 0.6 -0.1 1 -1.3 0.6 0.8 -1.3 3.4 1.1 2.4 -1.2 -1.5
// in x -0.7 -0.2 1.3 0.5 -0.9 -1.9 -1 2.4 -1.6 0.5 0.9 -3 0.1 2.6 -4 -0.6
// in x -0.2 -1.6 1 -0.1 -2.9 1.7 1.3 1.9 2.9 0.7 0.2 -2.6 1.2 -1.2 -0.9 -2.5
// in x -1.9 -1.1 2.6 -4.1 -2.9 0.5 2.9 1.2 -3.8 -5 0.7 -1.5 -2.2 2 2.2 0.3
// in x 0.5 0.9 3.2 1.2 1 1.1 -3.1 2.6 1.9 1.1 -3.9 -1.3 1.7 -3.6 -0.4 2
// in x -2.6 3.2 1.1 -0.3 0.6 1.3 0.2 2.3 -1.3 -0.8 2.1 0.1 -1.8 1.9 2.9 -0.9
// in x -2.8 -0.3 -0.3 -0.6 2.8 -2.1 2.5 -2.5 -1.6 1.3 2.3 1.7 0.7 0.3 0.3 1.2
// out pairs 64
#include <math.h>

#include "common/kernel/watch.cuh"

__global__ void walk(const float* x,   // [128]
                     float* pairs) {   // [32][2]
  const int lane = threadIdx.x;
  float m = -INFINITY, d = 0.0f;
  WATCH(m);
  WATCH(d);
#pragma unroll 1
  for (int column = lane; column < 128; column += 32) {
    const float logit = x[column];
    const bool larger = logit > m;
    if (larger) {
      d = d * expf(m - logit) + 1.0f;  // all that was summed is seen from the new maximum
      m = logit;
    } else {
      d += expf(logit - m);
    }
    WATCH(logit);
    WATCH(m);
    WATCH(d);
  }
  pairs[2 * lane] = m;
  pairs[2 * lane + 1] = d;
}
