// verdict: AC
// LayerNorm in two passes with 1024 threads of 2 slots, a tree in shared memory for both sums, and a second pass that corrects
// itself: the sum of the distances, which would be 0 if the mean were exact, is taken along with the sum of their squares, and
// its square is subtracted (the corrected two-pass algorithm).
#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 1024;
constexpr int kHeld = 2;

/// The sum over the block, in every thread. The tree folds the upper half of the slots onto the lower one.
__device__ float tree_sum(float value,
                          float* slots) {  // [kThreads], shared memory
  slots[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) slots[threadIdx.x] += slots[threadIdx.x + half];
    __syncthreads();
  }
  const float total = slots[0];
  __syncthreads();  // all have read: the next call may overwrite
  return total;
}

__global__ void layernorm_kernel(const float* __restrict__ x,      // [rows, cols], dense
                                 const float* __restrict__ gamma,  // [cols]
                                 const float* __restrict__ beta,   // [cols]
                                 float* __restrict__ y,            // [rows, cols], dense
                                 int cols, float eps) {
  __shared__ float slots[kThreads];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;
  const int first = threadIdx.x;
  const int second = first + kThreads;
  const float held[kHeld] = {first < cols ? x[offset + first] : 0.0f, second < cols ? x[offset + second] : 0.0f};

  const float mean = tree_sum(held[0] + held[1], slots) / cols;
  const float near = first < cols ? held[0] - mean : 0.0f;
  const float far = second < cols ? held[1] - mean : 0.0f;
  const float left_over = tree_sum(near + far, slots);
  const float squares = tree_sum(near * near + far * far, slots);
  const float variance = fmaxf((squares - left_over * left_over / cols) / cols, 0.0f);
  const float scale = rsqrtf(variance + eps);
  if (first < cols) y[offset + first] = near * scale * gamma[first] + beta[first];
  if (second < cols) y[offset + second] = far * scale * gamma[second] + beta[second];
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  if (cols > kThreads * kHeld) return cudaErrorInvalidValue;
  layernorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
