// Dynamic shared memory beyond 48 KB: a whole matrix transposed in it, the arrays cut out of one buffer by hand.
extern __shared__ unsigned char raw[];

// in, out: [n, n]; one block; needs n * (n + 1) * 4 + n * 8 bytes.
extern "C" __global__ void large_shared(const float* in, float* out, double* sums, int n) {
  double* columns = reinterpret_cast<double*>(raw);
  float* tile = reinterpret_cast<float*>(raw + n * sizeof(double));
  for (int i = threadIdx.x; i < n * n; i += blockDim.x) tile[i / n * (n + 1) + i % n] = in[i];
  __syncthreads();
  for (int c = threadIdx.x; c < n; c += blockDim.x) {
    double sum = 0;
    for (int r = 0; r < n; ++r) sum += tile[r * (n + 1) + c];
    columns[c] = sum;
  }
  for (int i = threadIdx.x; i < n * n; i += blockDim.x) out[i] = tile[i % n * (n + 1) + i / n];
  __syncthreads();
  for (int c = threadIdx.x; c < n; c += blockDim.x) sums[c] = columns[n - 1 - c];
}
