// mistake-of: u-of-all
#include <cuda_runtime.h>
#include <math.h>

// Each round: every thread looks for its best column that is not taken yet, then a tree over 128 threads picks the winner.
constexpr int T = 128;

__device__ bool before(float a, int ai, float b, int bi) {
  if (bi < 0) return ai >= 0;
  if (ai < 0) return false;
  return a > b || (a == b && ai < bi);
}

__global__ void sample(const float* x, const float* u, int* token, int* count, int cols, int k, float p) {
  __shared__ float val[T];
  __shared__ int idx[T];
  __shared__ float top[64];
  __shared__ int col[64];
  const int t = threadIdx.x;
  const float* row = x + (size_t)blockIdx.x * cols;

  int found = 0;
  float lastV = INFINITY;
  int lastI = -1;
  for (int round = 0; round < k; ++round) {
    float bestV = 0.0f;
    int bestI = -1;
    for (int c = t; c < cols; c += T) {
      const float v = row[c];
      if (!(v > -INFINITY)) continue;
      const bool left = v < lastV || (v == lastV && c > lastI);
      if (left && before(v, c, bestV, bestI)) {
        bestV = v;
        bestI = c;
      }
    }
    val[t] = bestV;
    idx[t] = bestI;
    __syncthreads();
    for (int h = T / 2; h > 0; h /= 2) {
      if (t < h && before(val[t + h], idx[t + h], val[t], idx[t])) {
        val[t] = val[t + h];
        idx[t] = idx[t + h];
      }
      __syncthreads();
    }
    lastV = val[0];
    lastI = idx[0];
    __syncthreads();
    if (lastI < 0) break;
    if (t == 0) {
      top[round] = lastV;
      col[round] = lastI;
    }
    found = round + 1;
  }
  if (t != 0) return;

  if (found == 0) {
    token[blockIdx.x] = -1;
    count[blockIdx.x] = 0;
    return;
  }
  float all = 0.0f;
  for (int i = 0; i < found; ++i) all += expf(top[i] - top[0]);
  int kept = found;
  if (p < 1.0f) {
    float s = 0.0f;
    for (kept = 1; kept <= found; ++kept) {
      s += expf(top[kept - 1] - top[0]);
      if (s >= p * all) break;
    }
    kept = min(kept, found);
  }
  float s = 0.0f;
  int pick = 0;
  for (; pick < kept - 1; ++pick) {
    s += expf(top[pick] - top[0]);
    if (s > u[blockIdx.x] * all) break;
  }
  count[blockIdx.x] = kept;
  token[blockIdx.x] = col[pick];
}

cudaError_t launch_sample(const float* logits, const float* uniform, int* token, int* kept, int rows, int cols, int k, float p) {
  if (k < 1 || k > 64) return cudaErrorInvalidValue;
  sample<<<rows, T>>>(logits, uniform, token, kept, cols, k, p);
  return cudaGetLastError();
}
