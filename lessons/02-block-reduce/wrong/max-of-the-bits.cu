// verdict: WA
// reason: not-finite, value
// cases: all-negative, one-column, short-row
// mistake: the maximum is taken over the bits of the floats as integers, and among negative floats their order is the other way round
// question: how do -1 and -2 compare when their bits are read as integers?
// Sum of every row by a tree in shared memory, maximum by an atomic: there is no atomicMax for floats, but there is one for integers.
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

/// The largest by an atomic on the bits of the float.
__device__ float block_max(float value, int* slot) {  // slot: [1]
  if (threadIdx.x == 0) *slot = __float_as_int(-INFINITY);
  __syncthreads();
  atomicMax(slot, __float_as_int(value));
  __syncthreads();
  return __int_as_float(*slot);
}

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
  __shared__ int largest_bits;
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  float my_sum = Sum::identity();
  float my_max = Max::identity();
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    const float value = row[col];
    my_sum = Sum::combine(my_sum, value);
    my_max = Max::combine(my_max, value);
  }
  const float total = block_reduce<Sum>(my_sum, slots);
  const float largest = block_max(my_max, &largest_bits);
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
