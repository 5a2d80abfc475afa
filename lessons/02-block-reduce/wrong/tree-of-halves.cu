// verdict: WA
// reason: value, not-finite
// cases: three-warps, block-of-33, block-of-20, block-of-1023, not-a-number
// mistake: the tree halves the block and rounds down: with a block that is no power of two the odd one is left out at every level
// question: which thread folds onto which when 33 slots are left, and what becomes of the last one?
// Sum and maximum of every row by a tree in shared memory: no shuffles, one slot a thread, the upper half folds onto the lower one.
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
  for (int half = static_cast<int>(blockDim.x) / 2; half > 0; half /= 2) {
    if (thread < half) slots[thread] = Op::combine(slots[thread], slots[thread + half]);
    __syncthreads();
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
  const float total = block_reduce<Sum>(my_sum, slots);
  const float largest = block_reduce<Max>(my_max, slots);
  if (threadIdx.x == 0) {
    sum[blockIdx.x] = total;
    max[blockIdx.x] = largest;
  }
}

}  // namespace

cudaError_t launch_row_sum_max(const float* x, float* sum, float* max, int rows, int cols, int threads) {
  row_sum_max_kernel<<<rows, threads>>>(x, sum, max, cols);
  return cudaGetLastError();
}
