// A recursive quicksort and a recursive descent: every thread sorts its own piece of an array.
__device__ __noinline__ void quicksort(int* values, int low, int high) {
  if (low >= high) return;
  const int pivot = values[(low + high) / 2];
  int i = low, j = high;
  while (i <= j) {
    while (values[i] < pivot) ++i;
    while (values[j] > pivot) --j;
    if (i > j) break;
    const int kept = values[i];
    values[i++] = values[j];
    values[j--] = kept;
  }
  quicksort(values, low, j);
  quicksort(values, i, high);
}

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

extern "C" __global__ void recursion(int* values, int each, int* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  quicksort(values + t * each, 0, each - 1);
  out[t] = ackermann(t % 3, t % 4);
}
