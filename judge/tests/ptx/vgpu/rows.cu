// What the benchmark runs: rows read side by side, one block a row.
__device__ float block_sum(float value, float* partials) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0) partials[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x % 32 < blockDim.x / 32 ? partials[threadIdx.x % 32] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  __syncthreads();
  return value;
}

extern "C" __global__ void row_sum(const float* x, float* y, int cols) {
  __shared__ float partials[32];
  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) sum += x[(size_t)blockIdx.x * cols + col];
  sum = block_sum(sum, partials);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

extern "C" __global__ void layernorm(const float* x, const float* gamma, const float* beta, float* y, int cols) {
  __shared__ float partials[32];
  const float* row = x + (size_t)blockIdx.x * cols;
  float sum = 0.0f, squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) sum += row[col];
  const float mean = block_sum(sum, partials) / cols;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) squares += (row[col] - mean) * (row[col] - mean);
  const float scale = rsqrtf(block_sum(squares, partials) / cols + 1e-5f);
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    y[(size_t)blockIdx.x * cols + col] = (row[col] - mean) * scale * gamma[col] + beta[col];
  }
}

extern "C" __global__ void softmax(const float* x, float* y, int cols) {
  __shared__ float partials[32];
  const float* row = x + (size_t)blockIdx.x * cols;
  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) sum += expf(row[col]);
  const float total = block_sum(sum, partials);
  for (int col = threadIdx.x; col < cols; col += blockDim.x) y[(size_t)blockIdx.x * cols + col] = expf(row[col]) / total;
}

extern "C" __global__ void strided(const float* x, float* y, int cols) {
  float sum = 0.0f;
  for (int col = 0; col < cols; ++col) sum += x[(size_t)threadIdx.x * cols + col];
  y[threadIdx.x] = sum;
}

extern "C" __global__ void divergent(float* y, int steps) {
  unsigned n = blockIdx.x * blockDim.x + threadIdx.x + 27;
  float sum = 0.0f;
  for (int i = 0; i < steps; ++i) {
    if (n & 1) {
      n = 3 * n + 1;
      sum += 1.0f;
    } else if (n & 2) {
      n = n / 2 + 5;
      sum -= 0.5f;
    } else {
      n ^= n >> 3;
    }
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum + n;
}
