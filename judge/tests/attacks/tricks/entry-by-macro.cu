// verdict: WA
// reason: no-launch, unwritten
// cases: heads
// trick: harness-macros
// The name by which the worker finds the judge's entry becomes another, so that no launch function is found: a failure of the judge, not of
// the learner?
// Not fooled: the judge's own lines take back every macro of a name that they use, and the launch function is called.
#include <cuda_runtime.h>

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  return cudaSuccess;
}

#define warpbook_launch nobody_finds_this
#define visibility(...) visibility("hidden")
