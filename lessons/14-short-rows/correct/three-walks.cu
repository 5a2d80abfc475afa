// verdict: AC
// medal: lost
// mistake: the row is read three times where a register would hold it
// Softmax of rows of up to 32 columns, a thread a row in three walks: no exchange, no registers for the row, three reads of x.
#include <cuda_runtime.h>
#include <math.h>

namespace {

constexpr int kThreads = 128;

__device__ float weight(float logit, float row_max) { return logit == -INFINITY ? 0.0f : expf(logit - row_max); }

__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], dense
                               float* __restrict__ y,        // [rows, cols], dense
                               int rows, int cols) {
  const int row = blockIdx.x * kThreads + threadIdx.x;
  if (row >= rows) return;
  const float* logits = x + static_cast<size_t>(row) * cols;
  float* probabilities = y + static_cast<size_t>(row) * cols;
  float row_max = -INFINITY;
  for (int col = 0; col < cols; ++col) row_max = fmaxf(row_max, logits[col]);
  float total = 0.0f;
  for (int col = 0; col < cols; ++col) total += weight(logits[col], row_max);
  for (int col = 0; col < cols; ++col) probabilities[col] = total == 0.0f ? 0.0f : weight(logits[col], row_max) / total;
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  softmax_kernel<<<(rows - 1) / kThreads + 1, kThreads>>>(x, y, rows, cols);
  return cudaGetLastError();
}
