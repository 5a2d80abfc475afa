// verdict: RTE
// reason: invalid-launch, cuda-error
// cases: longest, long-in-place, no-memory
// mistake: permission is asked for as many bytes as the row has, and a row longer than the device's shared memory has no other road
// question: how much shared memory does a block get at most, and what do you do with a longer row?
// The whole row waits in dynamic shared memory.
#include <cuda_runtime.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

__global__ void layernorm_kernel(const float* x,      // [rows, cols], row stride x_stride
                                 const float* gamma,  // [cols] or null
                                 const float* beta,   // [cols] or null
                                 float* y,            // [rows, cols], row stride y_stride; may be x
                                 int rows, int cols, long long x_stride, long long y_stride, float eps) {
  extern __shared__ float shared[];
  float* partials = shared;            // [kMaxWarps]
  float* staged = shared + kMaxWarps;  // [cols]
  const float* x_row = x + blockIdx.x * x_stride;
  float* y_row = y + blockIdx.x * y_stride;

  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    staged[col] = x_row[col];
    sum += staged[col];
  }
  const float mean = block_reduce<Sum>(sum, partials) / cols;
  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) squares += (staged[col] - mean) * (staged[col] - mean);
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
  for (int col = threadIdx.x; col < cols; col += kThreads)
    y_row[col] = (staged[col] - mean) * scale * (gamma ? gamma[col] : 1.0f) + (beta ? beta[col] : 0.0f);
}

}  // namespace

cudaError_t launch_layernorm(const float* x,      // [rows, cols], row stride x_stride
                             const float* gamma,  // [cols] or null
                             const float* beta,   // [cols] or null
                             float* y,            // [rows, cols], row stride y_stride; may be x
                             int rows, int cols, long long x_stride, long long y_stride, float eps) {
  if (rows == 0) return cudaSuccess;
  const size_t bytes = (kMaxWarps + static_cast<size_t>(cols)) * sizeof(float);
  WARPBOOK_TRY(cudaFuncSetAttribute(layernorm_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  layernorm_kernel<<<rows, kThreads, bytes>>>(x, gamma, beta, y, rows, cols, x_stride, y_stride, eps);
  return cudaGetLastError();
}
