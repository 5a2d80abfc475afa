// verdict: WA
// reason: no-launch, unwritten
// cases: heads
// trick: host-thread
// The launch function returns at once, and a thread that it leaves behind launches when the clock has been read.
// Not fooled: the outputs are read when the launch function is back and the device has nothing left to do; the process ends with that.
#include <cuda_runtime.h>
#include <math.h>

#include <chrono>
#include <thread>

#include "common/kernel/reduce.cuh"

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
  std::thread([=] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    softmax_kernel<<<rows, kThreads>>>(x, y, cols, x_stride, y_stride);
  }).detach();
  return cudaSuccess;
}
