// Arrays of a thread that are indexed at run time, passed by address, and of a size known only when the kernel runs (alloca).
__device__ __noinline__ void insert(int* sorted, int count, int value) {
  int i = count;
  for (; i > 0 && sorted[i - 1] > value; --i) sorted[i] = sorted[i - 1];
  sorted[i] = value;
}

extern "C" __global__ void local_arrays(const int* in, int* medians, int each) {
  int sorted[33];
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < each; ++i) insert(sorted, i, in[t * each + i]);
  medians[t] = sorted[each / 2];
}

extern "C" __global__ void on_the_stack(const int* in, int* out, int each) {
  const int t = threadIdx.x;
  int* reversed = static_cast<int*>(alloca((each + t % 3) * sizeof(int)));
  for (int i = 0; i < each; ++i) reversed[each - 1 - i] = in[t * each + i];
  int sum = 0;
  for (int i = 0; i < each; ++i) sum = sum * 3 + reversed[i];
  out[t] = sum;
}
