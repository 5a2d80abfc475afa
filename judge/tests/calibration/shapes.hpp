#pragma once
// At which shapes the solutions were measured: what solutions.cu launches on a GPU, and the test of the virtual GPU after it.
#include <vector>

namespace warpbook::calibration {

/// A matrix of `rows` rows of `cols` elements; strides in elements. `threads`: of a block, where the caller chooses.
struct Shape {
  int rows, cols;
  long long x_stride, y_stride;
  int threads;
};

/// Of tasks 2, 5 and 6: lessons; anything else: row-softmax.
inline std::vector<Shape> shapes_of(int task) {
  const auto dense = [](int rows, int cols, int threads) { return Shape{rows, cols, cols, cols, threads}; };
  if (task == 2) return {dense(3, 1000, 256), dense(4, 257, 100), dense(2, 5125, 1024)};
  if (task == 5 || task == 6) return {dense(3, 1000, 256), dense(2, 33, 256), dense(2, 5125, 256)};
  // A warp a row, the same with strides, a block a row, with the tail in shared memory, several blocks a row.
  return {dense(5, 31, 0), {6, 200, 203, 201, 0}, {3, 5125, 5125, 5130, 0}, dense(2, 20000, 0), dense(2, 80000, 0)};
}

}  // namespace warpbook::calibration
