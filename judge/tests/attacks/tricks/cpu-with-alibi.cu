// verdict: WA
// reason: host-computed
// cases: heads
// trick: cpu-answer
// says: the host fetched all of x
// The same, and the kernel that copies reads x as well, for no purpose.
// Not fooled: every copy passes the judge's device. Who fetches the whole input and sends as many bytes as the output has computes
// elsewhere.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

// One row at a time, on the host.
void softmax_on_host(const std::vector<float>& x, std::vector<float>& y, int rows, int cols) {
  for (int row = 0; row < rows; ++row) {
    const float* from = x.data() + static_cast<std::size_t>(row) * cols;
    float* to = y.data() + static_cast<std::size_t>(row) * cols;
    const float largest = *std::max_element(from, from + cols);
    double total = 0;
    for (int col = 0; col < cols; ++col) total += std::exp(static_cast<double>(from[col]) - largest);
    for (int col = 0; col < cols; ++col) to[col] = static_cast<float>(std::exp(static_cast<double>(from[col]) - largest) / total);
  }
}

__global__ void copy_kernel(const float* x, const float* from, float* y, int cols, long long x_stride, long long y_stride) {
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    const bool number = x[blockIdx.x * x_stride + col] < INFINITY;
    y[blockIdx.x * y_stride + col] = number ? from[1LL * blockIdx.x * cols + col] : 0.0f;
  }
}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  std::vector<float> inputs(static_cast<std::size_t>(rows) * cols), values(inputs.size());
  const std::size_t row_bytes = cols * sizeof(float);
  cudaMemcpy2D(inputs.data(), row_bytes, x, x_stride * sizeof(float), row_bytes, rows, cudaMemcpyDeviceToHost);
  softmax_on_host(inputs, values, rows, cols);

  float* uploaded = nullptr;
  cudaMalloc(&uploaded, values.size() * sizeof(float));
  cudaMemcpy(uploaded, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  copy_kernel<<<rows, 256>>>(x, uploaded, y, cols, x_stride, y_stride);
  return cudaGetLastError();
}
