// verdict: RTE
// reason: bad-shuffle-mask
// cases: channels, odd, widest, one-column, two-values, many-short-rows, far-from-zero, far-and-long, outlier-first, zeros, no-gamma, no-beta, strided, misaligned, odd-stride, weights-off, padded, rows-far-apart, not-a-number, long, longest, long-in-place, no-memory, no-permission
// mistake: tiles of eight lanes that find no row leave, and the other tiles of their warp shuffle with a mask that still names them
// question: which lanes does the mask of your shuffle name, and are they all still there?
// Eight lanes a row, four rows a warp, three walks whatever the length.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::kAllLanes;

constexpr int kThreads = 128;
constexpr int kLanes = 8;
constexpr int kRowsPerBlock = kThreads / kLanes;

__device__ float tile_sum(float value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(kAllLanes, value, offset);
  return value;
}

__global__ void layernorm_kernel(const float* x,      // [rows, cols], row stride x_stride
                                 const float* gamma,  // [cols] or null
                                 const float* beta,   // [cols] or null
                                 float* y,            // [rows, cols], row stride y_stride; may be x
                                 int rows, int cols, long long x_stride, long long y_stride, float eps) {
  const int lane = threadIdx.x % kLanes;
  const long long row = static_cast<long long>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kLanes;
  if (row >= rows) return;
  const float* x_row = x + row * x_stride;
  float* y_row = y + row * y_stride;
  float sum = 0.0f;
  for (int col = lane; col < cols; col += kLanes) sum += x_row[col];
  const float mean = tile_sum(sum) / cols;
  float squares = 0.0f;
  for (int col = lane; col < cols; col += kLanes) squares += (x_row[col] - mean) * (x_row[col] - mean);
  const float scale = rsqrtf(tile_sum(squares) / cols + eps);
  for (int col = lane; col < cols; col += kLanes)
    y_row[col] = (x_row[col] - mean) * scale * (gamma ? gamma[col] : 1.0f) + (beta ? beta[col] : 0.0f);
}

}  // namespace

cudaError_t launch_layernorm(const float* x,      // [rows, cols], row stride x_stride
                             const float* gamma,  // [cols] or null
                             const float* beta,   // [cols] or null
                             float* y,            // [rows, cols], row stride y_stride; may be x
                             int rows, int cols, long long x_stride, long long y_stride, float eps) {
  if (rows == 0) return cudaSuccess;
  const int blocks = (rows - 1) / kRowsPerBlock + 1;
  layernorm_kernel<<<blocks, kThreads>>>(x, gamma, beta, y, rows, cols, x_stride, y_stride, eps);
  return cudaGetLastError();
}
