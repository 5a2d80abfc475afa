// mistake-of: collects-one-slot
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/watch.cuh"

namespace {

constexpr int W = 32;
constexpr int kSlots = 32;

struct Plus {
  static __device__ float neutral() { return 0.0f; }
  static __device__ float apply(float l, float r) { return l + r; }
};

struct Larger {
  static __device__ float neutral() { return -INFINITY; }
  static __device__ float apply(float l, float r) { return fmaxf(l, r); }
};

template <class F>
__device__ float fold_lanes(float v, int id, int present) {
  const unsigned who = present == W ? 0xffffffffu : (1u << present) - 1;
  for (int step = W / 2; step > 0; step /= 2) {
    const bool above = id + step < present;
    const float got = __shfl_sync(who, v, above ? id + step : id);
    if (above) v = F::apply(v, got);
  }
  return v;
}

template <class F>
__device__ float fold_block(float v, float* board) {
  const int size = static_cast<int>(blockDim.x);
  const int id = static_cast<int>(threadIdx.x) % W;
  const int group = static_cast<int>(threadIdx.x) / W;
  const int groups = (size + W - 1) / W;
  const int present = min(W, size - group * W);

  v = fold_lanes<F>(v, id, present);
  if (id == 0) board[group] = v;
  __syncthreads();
  if (group == 0) {
    v = id < groups ? board[group] : F::neutral();
    v = fold_lanes<F>(v, id, present);
    if (id == 0) board[0] = v;
  }
  __syncthreads();
  v = board[0];
  __syncthreads();
  return v;
}

__global__ void both_of_a_row(const float* __restrict__ in, float* __restrict__ s_out, float* __restrict__ m_out, int n) {
  __shared__ float board[kSlots];
  const float* a = in + static_cast<size_t>(blockIdx.x) * n;

  float s = Plus::neutral();
  float m = Larger::neutral();
  for (int j = threadIdx.x; j < n; j += blockDim.x) {
    const float e = a[j];
    s = Plus::apply(s, e);
    m = Larger::apply(m, e);
  }

  const float s_all = fold_block<Plus>(s, board);
  const float m_all = fold_block<Larger>(m, board);
  if (threadIdx.x == blockDim.x - 1) {
    s_out[blockIdx.x] = s_all;
    m_out[blockIdx.x] = m_all;
  }
}

}  // namespace

cudaError_t launch_row_sum_max(const float* x, float* sum, float* max, int rows, int cols, int threads) {
  both_of_a_row<<<rows, threads>>>(x, sum, max, cols);
  return cudaGetLastError();
}
