// Runs the launch function of one solution at a few shapes, so that Nsight Compute can count what its kernels do. The numbers of the
// tensors do not matter for that; the shapes are those at which kernels go another way: a short row, a row with a tail, a long one, a
// block that is no whole number of warps, strides that leave sectors half used. `shapes.hpp` is the list; the test of the virtual GPU
// reads the same one. measure.sh builds and runs it:
//   nvcc -O3 -std=c++17 -arch=sm_90 -I ../../.. -DWARPBOOK_SOLUTION='"lessons/05-layernorm/solution.cu"' -DWARPBOOK_TASK=5 solutions.cu
#include WARPBOOK_SOLUTION

#include <cstdio>
#include <vector>

#include "judge/tests/calibration/shapes.hpp"

namespace {

using warpbook::calibration::Shape;

/// `count` floats on the device, none of them special.
float* tensor(long long count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7919 % 1024) / 512.0f - 1.0f;
  float* on_device = nullptr;
  if (cudaMalloc(&on_device, values.size() * sizeof(float)) != cudaSuccess) return nullptr;
  cudaMemcpy(on_device, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  return on_device;
}

cudaError_t launch(const Shape& s) {
  float* x = tensor(s.rows * s.x_stride);
  float* y = tensor(s.rows * s.y_stride);
#if WARPBOOK_TASK == 2
  return launch_row_sum_max(x, y, y + s.rows, s.rows, s.cols, s.threads);
#elif WARPBOOK_TASK == 5
  return launch_layernorm(x, tensor(s.cols), tensor(s.cols), y, s.rows, s.cols, 1e-5f);
#elif WARPBOOK_TASK == 6
  return launch_softmax(x, y, s.rows, s.cols);
#else
  return launch_softmax(x, y, s.rows, s.cols, s.x_stride, s.y_stride);
#endif
}

}  // namespace

int main() {
  for (const Shape& shape : warpbook::calibration::shapes_of(WARPBOOK_TASK)) {
    cudaError_t error = launch(shape);
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
      std::fprintf(stderr, "%lld x %lld: %s\n", static_cast<long long>(shape.rows), static_cast<long long>(shape.cols),
                   cudaGetErrorString(error));
      return 1;
    }
  }
  return 0;
}
