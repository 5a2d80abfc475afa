// verdict: RTE
// reason: exited-early
// cases: heads
// trick: exit-in-constructor
// says: left the process with status 0
// A constructor says that all is well and leaves with status 0, before the launch function could be called.
// Not fooled: status 0 of a child is no verdict; the launch function never returned.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace {

struct Ahead {
  Ahead() {
    std::puts("AC accepted, 1 of 1 cases");
    std::exit(0);
  }
} ahead;

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  return cudaSuccess;
}
