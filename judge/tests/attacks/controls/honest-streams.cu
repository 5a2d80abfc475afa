// verdict: AC
// cases: heads
// control: streams
// bench: accepted
// Two halves of the rows on two streams, which begin after what the caller queued and end before what the caller queues next.
#include <cuda_runtime.h>
#include <math.h>

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
  static cudaStream_t streams[2];
  static cudaEvent_t begin, end[2];
  for (int i = 0; begin == nullptr && i < 2; ++i) {
    cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&end[i], cudaEventDisableTiming);
  }
  if (begin == nullptr) cudaEventCreateWithFlags(&begin, cudaEventDisableTiming);
  cudaEventRecord(begin);
  const int half = rows / 2, first[] = {0, half}, count[] = {half, rows - half};
  for (int i = 0; i < 2; ++i) {
    if (count[i] == 0) continue;
    cudaStreamWaitEvent(streams[i], begin);
    softmax_kernel<<<count[i], kThreads, 0, streams[i]>>>(x + first[i] * x_stride, y + first[i] * y_stride, cols, x_stride, y_stride);
    cudaEventRecord(end[i], streams[i]);
    cudaStreamWaitEvent(nullptr, end[i]);
  }
  return cudaGetLastError();
}
