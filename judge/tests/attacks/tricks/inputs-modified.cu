// verdict: WA
// reason: input-changed
// cases: heads
// trick: inputs-modified
// says: the kernel changed its input x
// Each row of x is replaced by zeros, whose softmax needs no exponential: if the answer were computed from x afterwards, it would agree.
// Not fooled: the reference comes from what the judge put there, and x is compared with it after the launch.
#include <cuda_runtime.h>

namespace {

__global__ void easier_kernel(float* x, float* y, int cols, long long x_stride, long long y_stride) {
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    x[blockIdx.x * x_stride + col] = 0.0f;
    y[blockIdx.x * y_stride + col] = 1.0f / cols;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  easier_kernel<<<rows, 256>>>(const_cast<float*>(x), y, cols, x_stride, y_stride);
  return cudaGetLastError();
}
