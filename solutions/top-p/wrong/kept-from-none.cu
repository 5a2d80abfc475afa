// verdict: WA
// reason: value
// cases: p-zero
// mistake: p = 0 is reached by no token at all: nothing is kept, and nothing is drawn
// question: how many tokens does p = 0 keep, and can a model draw from none?
// A threshold search over the integers that grow with the logits, a block a row, every round from memory. A p of 0 leaves the row without
// tokens.
#include <cuda_runtime.h>
#include <limits.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 128;

/// The sum of exp(logit - max) over the logits above a pivot.
__device__ float sum_above(const float* x, int cols, float pivot, float max, float* partials) {
  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    if (x[col] > pivot) sum += expf(x[col] - max);
  }
  return block_reduce<Sum>(sum, partials);
}

/// How many logits stand above a pivot. Counts stay below 2^24, so a float holds them.
__device__ int count_above(const float* x, int cols, float pivot, float* partials) {
  float count = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) {
    if (x[col] > pivot) count += 1.0f;
  }
  return static_cast<int>(block_reduce<Sum>(count, partials));
}

/// A float as an integer that grows with it, and back; -0 and +0 become one.
__device__ int key_of(float x) {
  const int bits = __float_as_int(x + 0.0f);
  return bits < 0 ? bits ^ INT_MAX : bits;
}
__device__ float float_of(int key) { return __int_as_float(key < 0 ? key ^ INT_MAX : key); }

/// The least float from `low` to `high` above which the weights do not reach the mark (or, where `passes`, do not pass it).
__device__ float find(const float* x, int cols, float low, float high, float max, float mark, bool passes, float* partials) {
  int first = key_of(low), last = key_of(high);
  while (first < last) {
    const int middle = static_cast<int>((static_cast<long long>(first) + last) >> 1);  // the range of floats is wider than an int
    const float sum = sum_above(x, cols, float_of(middle), max, partials);
    if (passes ? sum <= mark : sum < mark) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return float_of(last);
}

/// The column of the nth (from 1) logit that equals value, by halving the columns.
__device__ int column_of(const float* x, int cols, float value, int nth, float* partials) {
  int first = 0, last = cols - 1;
  while (first < last) {
    const int middle = (first + last) / 2;
    float equal = 0.0f;
    for (int col = threadIdx.x; col <= middle; col += kThreads) equal += x[col] == value ? 1.0f : 0.0f;
    if (static_cast<int>(block_reduce<Sum>(equal, partials)) >= nth) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return last;
}

/// How many weights of `each` it takes to bring sum to the mark, or past it: from 1 to `most`.
__device__ int needed(float sum, float each, float mark, bool passes, int most) {
  const float steps = passes ? floorf((mark - sum) / each) + 1.0f : ceilf((mark - sum) / each);
  return steps >= static_cast<float>(most) ? most : steps > 1.0f ? static_cast<int>(steps) : 1;
}

/// A block a row.
__global__ void top_p_kernel(const float* logits,   // [rows, cols], row stride logits_stride
                             const float* uniform,  // [rows]
                             int* token,            // [rows]
                             int* kept,             // [rows], or null
                             int cols, float p, long long logits_stride) {
  __shared__ float partials[kMaxWarps];
  const long long row = blockIdx.x;
  const float* x = logits + row * logits_stride;
  float largest = Max::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) largest = fmaxf(largest, x[col]);
  const float max = block_reduce<Max>(largest, partials);
  if (max == -INFINITY) {
    if (threadIdx.x == 0) token[row] = -1;
    if (threadIdx.x == 0 && kept != nullptr) kept[row] = 0;
    return;
  }

  const float low = max - 110.0f;  // what lies below weighs nothing
  const float total = sum_above(x, cols, low, max, partials);
  float last = max, sum = 1.0f;
  int equals = 1, count = 1;
  if (p <= 0.0f) {
    if (threadIdx.x == 0) token[row] = -1;
    if (threadIdx.x == 0 && kept != nullptr) kept[row] = 0;
    return;
  }
  if (p >= 1.0f) {
    last = low;
    sum = total;
    equals = INT_MAX;
    count = count_above(x, cols, -INFINITY, partials);
  } else if (p > 0.0f) {
    last = find(x, cols, low, max, max, p * total, false, partials);
    const float above = sum_above(x, cols, last, max, partials);
    const float each = expf(last - max);
    const int more = count_above(x, cols, last, partials);
    const int all = count_above(x, cols, nextafterf(last, -INFINITY), partials) - more;
    equals = needed(above, each, p * total, false, all);
    count = more + equals;
    sum = above + static_cast<float>(equals) * each;
  }
  if (threadIdx.x == 0 && kept != nullptr) kept[row] = count;

  const float mark = uniform[row] * sum;
  const float here = find(x, cols, last, max, max, mark, true, partials);
  const float above = sum_above(x, cols, here, max, partials);
  int most = count_above(x, cols, nextafterf(here, -INFINITY), partials) - count_above(x, cols, here, partials);
  if (here == last) most = min(most, equals);
  const int column = column_of(x, cols, here, needed(above, expf(here - max), mark, true, most), partials);
  if (threadIdx.x == 0) token[row] = column;
}

}  // namespace

cudaError_t launch_top_p(const float* logits,   // [rows, cols], row stride logits_stride
                         const float* uniform,  // [rows], in [0, 1)
                         int* token,            // [rows]
                         int* kept,             // [rows], or null
                         int rows, int cols, float p, long long logits_stride) {
  if (rows == 0) return cudaSuccess;
  top_p_kernel<<<rows, kThreads>>>(logits, uniform, token, kept, cols, p, logits_stride);
  return cudaGetLastError();
}
