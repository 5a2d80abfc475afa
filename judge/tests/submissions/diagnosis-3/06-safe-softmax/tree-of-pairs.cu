// mistake-of: shift-not-below-zero
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

constexpr int kThreads = 256;  // a power of two: the tree halves it

// A part of the row: what is subtracted in it, and the sum of its weights under that.
struct Part {
  float shift;
  float sum;
};

__device__ Part join(Part a, Part b) {
  if (a.sum == 0.0f) return b;
  if (b.sum == 0.0f) return a;
  const float shift = fmaxf(a.shift, b.shift);
  return {shift, a.sum * expf(a.shift - shift) + b.sum * expf(b.shift - shift)};
}

// Every thread makes a pair of its own columns; the pairs go up a tree in shared memory.
__global__ void softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int cols) {
  __shared__ Part parts[kThreads];
  const int t = threadIdx.x;
  const float* logits = x + static_cast<size_t>(blockIdx.x) * cols;
  float* probabilities = y + static_cast<size_t>(blockIdx.x) * cols;

  float shift = 0.0f;
  for (int col = t; col < cols; col += kThreads) shift = fmaxf(shift, logits[col]);
  float sum = 0.0f;
  for (int col = t; col < cols; col += kThreads) {
    if (logits[col] != -INFINITY) sum += expf(logits[col] - shift);
  }
  parts[t] = {shift, sum};
  __syncthreads();

  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (t < half) parts[t] = join(parts[t], parts[t + half]);
    __syncthreads();
  }
  const Part row = parts[0];

  for (int col = t; col < cols; col += kThreads) {
    float share = 0.0f;
    if (row.sum != 0.0f && logits[col] != -INFINITY) share = expf(logits[col] - row.shift) / row.sum;
    probabilities[col] = share;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  softmax_kernel<<<rows, kThreads>>>(x, y, cols);
  return cudaGetLastError();
}
