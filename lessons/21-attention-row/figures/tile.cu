// Two tiles of eight keys: lanes 0 to 7 hold the scores of a tile, and every lane owns a column of the output. Key k has 10 (k + 1) + c in
// column c. With the second tile comes a larger score, and what was added up so far shrinks.
//
// threads 32
// in scores 1 0 0.5 -1 2 0 1.5 -2
// in scores 0 3 1 2.5 -1 0 4 1
// out y 32
#include <math.h>

#include "common/kernel/watch.cuh"

namespace {

constexpr int kTile = 8, kKeys = 16;

__device__ float over_lanes(float mine, bool sum) {
  for (int bit = 16; bit != 0; bit >>= 1) {
    const float theirs = __shfl_xor_sync(0xffffffffu, mine, bit);
    mine = sum ? mine + theirs : fmaxf(mine, theirs);
  }
  return mine;
}

}  // namespace

__global__ void tiles(const float* scores,  // [16]
                      float* y) {           // [32]
  const int lane = threadIdx.x;
  float m = -INFINITY, d = 0.0f, o = 0.0f;
  WATCH(m);
  WATCH(d);
  WATCH(o);
#pragma unroll 1
  for (int first = 0; first < kKeys; first += kTile) {
    const float score = lane < kTile ? scores[first + lane] : -INFINITY;
    WATCH(score);
    const float top = fmaxf(m, over_lanes(score, false));
    const float shrink = expf(m - top);
    WATCH(shrink);
    m = top;
    WATCH(m);
    const float weight = expf(score - m);
    WATCH(weight);
    d = d * shrink + over_lanes(weight, true);
    WATCH(d);
    o = o * shrink;
    WATCH(o);
#pragma unroll 1
    for (int key = 0; key < kTile; ++key) {
      o += __shfl_sync(0xffffffffu, weight, key) * (10.0f * (first + key + 1) + lane);
      WATCH(o);
    }
  }
  y[lane] = o / d;
}
