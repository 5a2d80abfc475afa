// CUB: the sum and the maximum of a row, by block reductions of three algorithms.
#include <cub/block/block_reduce.cuh>

template <cub::BlockReduceAlgorithm kAlgorithm>
__device__ float sum_of(float x) {
  using Reduce = cub::BlockReduce<float, 128, kAlgorithm>;
  __shared__ typename Reduce::TempStorage storage;
  const float sum = Reduce(storage).Sum(x);
  __syncthreads();
  return sum;
}

struct Larger {
  __device__ float operator()(float a, float b) const { return a > b ? a : b; }
};

// out: [rows, 4]; a block of 128 per row.
extern "C" __global__ void cub_block_reduce(const float* in, float* out, int cols) {
  const float* row = in + static_cast<size_t>(blockIdx.x) * cols;
  float x = 0, largest = -1e30f;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    x += row[i];
    largest = largest > row[i] ? largest : row[i];
  }
  const float a = sum_of<cub::BLOCK_REDUCE_RAKING>(x);
  const float b = sum_of<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(x);
  const float c = sum_of<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(x);
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ typename Reduce::TempStorage storage;
  // Only the first 100 threads bring a value.
  const float m = Reduce(storage).Reduce(largest, Larger{}, 100);
  if (threadIdx.x == 0) {
    out[blockIdx.x * 4 + 0] = a;
    out[blockIdx.x * 4 + 1] = b;
    out[blockIdx.x * 4 + 2] = c;
    out[blockIdx.x * 4 + 3] = m;
  }
}
