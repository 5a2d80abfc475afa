// verdict: RTE, WA
// reason: uninitialised, not-finite
// cases: plain, largest-block, one-warp, three-warps, all-negative, one-column, short-row, block-of-33, block-of-20, block-of-1, block-of-1023, last-warp, masked-row, not-a-number
// mistake: the threads add to the output, which nobody has set to 0: it holds whatever was there before, and a second call doubles it
// question: what does sum[row] hold before the first thread adds to it?
// Maximum of every row by a tree in shared memory; of the sum every thread adds its part to the output by an atomic.
#include <cuda_runtime.h>
#include <math.h>

namespace {

constexpr int kMaxThreads = 1024;

struct Sum {
  static __device__ float identity() { return 0.0f; }
  static __device__ float combine(float a, float b) { return a + b; }
};

struct Max {
  static __device__ float identity() { return -INFINITY; }
  static __device__ float combine(float a, float b) { return fmaxf(a, b); }
};

template <class Op>
__device__ float block_reduce(float value, float* slots) {  // slots: [blockDim.x]
  const int thread = static_cast<int>(threadIdx.x);
  slots[thread] = value;
  __syncthreads();
  for (int live = static_cast<int>(blockDim.x); live > 1;) {
    const int lower = (live + 1) / 2;
    if (thread + lower < live) slots[thread] = Op::combine(slots[thread], slots[thread + lower]);
    __syncthreads();
    live = lower;
  }
  value = slots[0];
  __syncthreads();
  return value;
}

__global__ void row_sum_max_kernel(const float* __restrict__ x,  // [rows, cols], dense
                                   float* __restrict__ sum,      // [rows]
                                   float* __restrict__ max,      // [rows]
                                   int cols) {
  __shared__ float slots[kMaxThreads];
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  float my_sum = Sum::identity();
  float my_max = Max::identity();
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    const float value = row[col];
    my_sum = Sum::combine(my_sum, value);
    my_max = Max::combine(my_max, value);
  }
  atomicAdd(&sum[blockIdx.x], my_sum);
  const float largest = block_reduce<Max>(my_max, slots);
  if (threadIdx.x == 0) {
    max[blockIdx.x] = largest;
  }
}

}  // namespace

cudaError_t launch_row_sum_max(const float* x, float* sum, float* max, int rows, int cols, int threads) {
  row_sum_max_kernel<<<rows, threads>>>(x, sum, max, cols);
  return cudaGetLastError();
}
