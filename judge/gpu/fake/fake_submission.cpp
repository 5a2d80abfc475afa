// Softmax of rows: (x, y, rows, cols, x_stride, y_stride). FAKE_WAY says how it behaves.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#define HONEST 0
#define KEEPS_BY_ADDRESS 1  // computes once for every address and hands out what it kept
#define WRONG_AFTER_A_WHILE 2
#define SKIPS_LAST_ROW 3
#define REFUSES_AFTER_A_WHILE 4
#define LAZY_AFTER_A_WHILE 5  // every second launch does nothing
#define KEEPS_BY_CONTENT 6    // knows its inputs by their first values

namespace {

struct Matrix {
  const float* x;
  float* y;
  int rows, cols;
  long long x_stride, y_stride;
};

void softmax(const Matrix& m, int rows) {
  for (int r = 0; r < rows; ++r) {
    const float* x = m.x + r * m.x_stride;
    float* y = m.y + r * m.y_stride;
    const float largest = *std::max_element(x, x + m.cols);
    double sum = 0;
    for (int c = 0; c < m.cols; ++c) sum += std::exp(static_cast<double>(x[c]) - largest);
    for (int c = 0; c < m.cols; ++c) y[c] = static_cast<float>(std::exp(static_cast<double>(x[c]) - largest) / sum);
  }
}

}  // namespace

extern "C" int warpbook_launch(void* const* arguments) {
  const auto number = [&](int i) { return *static_cast<const int*>(arguments[i]); };
  const auto stride = [&](int i) { return *static_cast<const long long*>(arguments[i]); };
  const Matrix m{
      *static_cast<const float**>(arguments[0]), *static_cast<float**>(arguments[1]), number(2), number(3), stride(4), stride(5)};
  static int launches = 0;
  ++launches;
  [[maybe_unused]] constexpr int kAWhile = 12;
#if FAKE_WAY == KEEPS_BY_ADDRESS || FAKE_WAY == KEEPS_BY_CONTENT
#if FAKE_WAY == KEEPS_BY_ADDRESS
  static std::map<const float*, std::vector<float>> kept;
  std::vector<float>& own = kept[m.x];
#else
  static std::map<std::vector<float>, std::vector<float>> kept;
  std::vector<float>& own = kept[std::vector<float>(m.x, m.x + std::min(m.cols, 8))];
#endif
  if (own.empty()) {
    softmax(m, m.rows);
    own.assign(m.y, m.y + m.rows * m.y_stride);
  }
  for (int r = 0; r < m.rows; ++r)
    std::memcpy(m.y + r * m.y_stride, own.data() + r * m.y_stride, static_cast<std::size_t>(m.cols) * sizeof(float));
#elif FAKE_WAY == LAZY_AFTER_A_WHILE
  if (launches <= kAWhile || launches % 2 == 0) softmax(m, m.rows);
#elif FAKE_WAY == SKIPS_LAST_ROW
  softmax(m, launches > kAWhile ? m.rows - 1 : m.rows);
#else
  softmax(m, m.rows);
#endif
#if FAKE_WAY == WRONG_AFTER_A_WHILE
  if (launches > kAWhile) m.y[3] *= 1.01f;
#elif FAKE_WAY == REFUSES_AFTER_A_WHILE
  if (launches > kAWhile) return 9;
#endif
  return 0;
}
