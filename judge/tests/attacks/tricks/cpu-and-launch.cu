// verdict: WA
// reason: host-computed
// cases: heads
// trick: cpu-answer
// says: no kernel wrote y
// The same, and a kernel without work is launched, so that there was a launch.
// Not fooled: the virtual GPU knows which bytes kernels wrote, and none of them are y's.
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

__global__ void nothing_kernel() {}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  std::vector<float> inputs(static_cast<std::size_t>(rows) * cols), values(inputs.size());
  const std::size_t row_bytes = cols * sizeof(float);
  cudaMemcpy2D(inputs.data(), row_bytes, x, x_stride * sizeof(float), row_bytes, rows, cudaMemcpyDeviceToHost);
  softmax_on_host(inputs, values, rows, cols);

  nothing_kernel<<<rows, 256>>>();
  return cudaMemcpy2D(y, y_stride * sizeof(float), values.data(), row_bytes, row_bytes, rows, cudaMemcpyHostToDevice);
}
