// A submission as the judge builds one: a launch function and the C name that the worker looks for, no main, linked to no runtime.
#include <cuda_runtime.h>

namespace {
__global__ void twice(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
}  // namespace

cudaError_t launch_twice(const float* x, float* y, int n) {
  twice<<<(n + 127) / 128, 128>>>(x, y, n);
  return cudaGetLastError();
}

extern "C" int warpbook_launch(void* const* arguments) {
  return launch_twice(*static_cast<const float* const*>(arguments[0]), *static_cast<float* const*>(arguments[1]),
                      *static_cast<const int*>(arguments[2]));
}
