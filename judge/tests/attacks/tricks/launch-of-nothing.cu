// verdict: WA
// reason: unwritten
// cases: heads
// trick: launch-of-nothing
// A kernel without work is launched, so that there was a launch.
// Not fooled: values decide, and no element was written.
#include <cuda_runtime.h>

namespace {

__global__ void nothing_kernel() {}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  nothing_kernel<<<rows, 256>>>();
  return cudaGetLastError();
}
