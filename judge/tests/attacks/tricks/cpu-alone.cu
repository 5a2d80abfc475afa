// verdict: WA
// reason: no-launch
// cases: heads
// trick: cpu-answer
// The host fetches x, computes, and puts the answer into y.
// Not fooled: the virtual GPU launched nothing. A real one does not tell; what it accepts is also run once on the virtual one.
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

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  std::vector<float> inputs(static_cast<std::size_t>(rows) * cols), values(inputs.size());
  const std::size_t row_bytes = cols * sizeof(float);
  cudaMemcpy2D(inputs.data(), row_bytes, x, x_stride * sizeof(float), row_bytes, rows, cudaMemcpyDeviceToHost);
  softmax_on_host(inputs, values, rows, cols);

  return cudaMemcpy2D(y, y_stride * sizeof(float), values.data(), row_bytes, row_bytes, rows, cudaMemcpyHostToDevice);
}
