// verdict: CE
// reason: compiler-message
// cases: heads
// trick: harness-macros
// says: warpbook_launch
// The entry that the worker looks for, brought along.
// Not fooled: the judge's own lines define it, and one of the two is one too many.
#include <cuda_runtime.h>

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  return cudaSuccess;
}

extern "C" __attribute__((visibility("default"))) int warpbook_launch(void* const*) { return 0; }
