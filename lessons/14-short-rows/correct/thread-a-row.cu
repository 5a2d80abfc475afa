// verdict: AC
// Softmax of rows of up to 32 columns, a thread a row: the row waits in the registers of one thread, and nothing is exchanged.
//
// x is asked for once, but a request of a warp touches 32 rows: with 32 columns that is 32 sectors for 128 bytes.
#include <cuda_runtime.h>
#include <math.h>

namespace {

constexpr int kThreads = 128;
constexpr int kMostCols = 32;

__global__ void softmax_kernel(const float* __restrict__ x,  // [rows, cols], dense
                               float* __restrict__ y,        // [rows, cols], dense
                               int rows, int cols) {
  const int row = blockIdx.x * kThreads + threadIdx.x;
  if (row >= rows) return;
  const float* logits = x + static_cast<size_t>(row) * cols;
  float* probabilities = y + static_cast<size_t>(row) * cols;

  float held[kMostCols];
  float row_max = -INFINITY;
#pragma unroll
  for (int i = 0; i < kMostCols; ++i) {
    held[i] = i < cols ? logits[i] : -INFINITY;
    row_max = fmaxf(row_max, held[i]);
  }
  float total = 0.0f;
#pragma unroll
  for (int i = 0; i < kMostCols; ++i) {
    held[i] = held[i] == -INFINITY ? 0.0f : expf(held[i] - row_max);
    total += held[i];
  }
#pragma unroll
  for (int i = 0; i < kMostCols; ++i) {
    if (i < cols) probabilities[i] = total == 0.0f ? 0.0f : held[i] / total;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols > kMostCols) return cudaErrorInvalidValue;
  softmax_kernel<<<(rows - 1) / kThreads + 1, kThreads>>>(x, y, rows, cols);
  return cudaGetLastError();
}
