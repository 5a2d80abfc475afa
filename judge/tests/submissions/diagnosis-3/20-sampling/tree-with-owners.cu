// mistake-of: lower-thread
#include <cuda_runtime.h>
#include <math.h>

namespace {

constexpr int kThreads = 128;
constexpr int kMost = 64;

// What a thread offers: column -1 when it has nothing. The owner is the thread that offers it.
struct Offer {
  float logit;
  int column;
  int owner;
};

__device__ bool beats(const Offer& a, const Offer& b) {
  if (a.column < 0) return false;
  if (b.column < 0) return true;
  if (a.logit == b.logit) {
    return a.owner < b.owner;
  }
  return a.logit > b.logit;
}

// The best of the own columns that was not offered yet: smaller than the last one, or equal and further right.
__device__ Offer next_offer(const float* logits, int cols, float last_logit, int last_column) {
  Offer best = {0.0f, -1, static_cast<int>(threadIdx.x)};
  for (int c = threadIdx.x; c < cols; c += kThreads) {
    const float v = logits[c];
    if (!(v > -INFINITY)) continue;
    if (v > last_logit || (v == last_logit && c <= last_column)) continue;
    if (best.column < 0 || v > best.logit) {
      best.logit = v;
      best.column = c;
    }
  }
  return best;
}

__global__ void sample_by_tree(const float* __restrict__ x, const float* __restrict__ uniform, int* __restrict__ token,
                               int* __restrict__ count, int cols, int k, float p) {
  __shared__ Offer tree[kThreads];
  __shared__ float logit_of[kMost];
  __shared__ int column_of[kMost];
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  const int t = threadIdx.x;

  Offer mine = next_offer(logits, cols, INFINITY, -1);
  int n = 0;
  for (int round = 0; round < k; ++round) {
    tree[t] = mine;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
      if (t < half && beats(tree[t + half], tree[t])) tree[t] = tree[t + half];
      __syncthreads();
    }
    const Offer winner = tree[0];
    __syncthreads();
    if (winner.column < 0) break;
    if (t == 0) {
      logit_of[n] = winner.logit;
      column_of[n] = winner.column;
    }
    ++n;
    if (t == winner.owner) mine = next_offer(logits, cols, winner.logit, winner.column);
  }

  if (t != 0) return;
  if (n == 0) {
    token[blockIdx.x] = -1;
    count[blockIdx.x] = 0;
    return;
  }
  float weights[kMost];
  float total = 0.0f;
  for (int i = 0; i < n; ++i) total += weights[i] = expf(logit_of[i] - logit_of[0]);

  int kept = p >= 1.0f ? n : 1;
  float sum = 0.0f;
  for (int i = 0; i < kept; ++i) sum += weights[i];
  while (kept < n && sum < p * total) sum += weights[kept++];

  int drawn = 0;
  float running = weights[0];
  while (drawn < kept - 1 && !(running > uniform[blockIdx.x] * sum)) running += weights[++drawn];
  count[blockIdx.x] = kept;
  token[blockIdx.x] = column_of[drawn];
}

}  // namespace

cudaError_t launch_sample(const float* logits, const float* uniform, int* token, int* kept, int rows, int cols, int k, float p) {
  if (k < 1 || k > kMost) return cudaErrorInvalidValue;
  sample_by_tree<<<rows, kThreads>>>(logits, uniform, token, kept, cols, k, p);
  return cudaGetLastError();
}
