// verdict: RTE
// reason: invalid-launch
// cases: heads
// trick: interposed-runtime
// says: the launch function did not return it
// A launch that the device refuses, and functions of the runtime's names that know of no error and never wait.
// Not fooled: the worker asks the runtime that it loaded itself, before the submission; the judge asks its device.
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

// Their names in C++ are taken; what the linker sees is the name of the runtime's function.
extern "C" {
__attribute__((visibility("default"))) cudaError_t no_last_error() __asm__("cudaGetLastError");
__attribute__((visibility("default"))) cudaError_t no_error() __asm__("cudaPeekAtLastError");
__attribute__((visibility("default"))) cudaError_t no_wait() __asm__("cudaDeviceSynchronize");
}
cudaError_t no_last_error() { return cudaSuccess; }
cudaError_t no_error() { return cudaSuccess; }
cudaError_t no_wait() { return cudaSuccess; }

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

// A block a row, three walks: right for finite rows.
__global__ void softmax_kernel(const float* x, float* y, int cols, long long x_stride, long long y_stride) {
  __shared__ float partials[kMaxWarps];
  x += blockIdx.x * x_stride;
  y += blockIdx.x * y_stride;
  float largest = Max::identity(), weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) largest = fmaxf(largest, x[col]);
  largest = block_reduce<Max>(largest, partials);
  for (int col = threadIdx.x; col < cols; col += kThreads) weights += expf(x[col] - largest);
  weights = block_reduce<Sum>(weights, partials);
  for (int col = threadIdx.x; col < cols; col += kThreads) y[col] = expf(x[col] - largest) / weights;
}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  softmax_kernel<<<rows, 2048>>>(x, y, cols, x_stride, y_stride);
  return cudaGetLastError();
}
