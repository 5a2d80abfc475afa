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

// One pass that keeps the maximum and the rescaled sum of its columns, then one that writes.
extern "C" __global__ void online_softmax(const float* x, float* y, int cols) {
  __shared__ float maxima[32], sums[32];
  const float* row = x + (size_t)blockIdx.x * cols;
  float m = -3.402823466e38f, d = 0.0f;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    const float value = row[col], larger = fmaxf(m, value);
    d = d * expf(m - larger) + expf(value - larger);
    m = larger;
  }
  const auto merge = [&](float other_m, float other_d) {
    const float larger = fmaxf(m, other_m);
    d = d * expf(m - larger) + other_d * expf(other_m - larger);
    m = larger;
  };
  for (int offset = 16; offset > 0; offset /= 2) merge(__shfl_xor_sync(0xffffffffu, m, offset), __shfl_xor_sync(0xffffffffu, d, offset));
  if (threadIdx.x % 32 == 0) {
    maxima[threadIdx.x / 32] = m;
    sums[threadIdx.x / 32] = d;
  }
  __syncthreads();
  m = threadIdx.x % 32 < blockDim.x / 32 ? maxima[threadIdx.x % 32] : -3.402823466e38f;
  d = threadIdx.x % 32 < blockDim.x / 32 ? sums[threadIdx.x % 32] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2) merge(__shfl_xor_sync(0xffffffffu, m, offset), __shfl_xor_sync(0xffffffffu, d, offset));
  for (int col = threadIdx.x; col < cols; col += blockDim.x) y[(size_t)blockIdx.x * cols + col] = expf(row[col] - m) / d;
}

// Safe softmax with trees in shared memory: three passes, two reductions of eight levels.
extern "C" __global__ void tree_softmax(const float* x, float* y, int cols) {
  __shared__ float tree[256];
  const float* row = x + (size_t)blockIdx.x * cols;
  float largest = -3.402823466e38f, sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) largest = fmaxf(largest, row[col]);
  tree[threadIdx.x] = largest;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) tree[threadIdx.x] = fmaxf(tree[threadIdx.x], tree[threadIdx.x + half]);
    __syncthreads();
  }
  largest = tree[0];
  __syncthreads();
  for (int col = threadIdx.x; col < cols; col += blockDim.x) sum += expf(row[col] - largest);
  tree[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) tree[threadIdx.x] += tree[threadIdx.x + half];
    __syncthreads();
  }
  sum = tree[0];
  for (int col = threadIdx.x; col < cols; col += blockDim.x) y[(size_t)blockIdx.x * cols + col] = expf(row[col] - largest) / sum;
}

// Nothing but a tree, again and again.
extern "C" __global__ void tree(float* y, int rounds) {
  __shared__ float s[256];
  float total = 0.0f;
  for (int i = 0; i < rounds; ++i) {
    s[threadIdx.x] = threadIdx.x + i;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
      __syncthreads();
    }
    total += s[0];
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = total;
}

// Every element is added to one of 1,024 bins, as a histogram does.
extern "C" __global__ void atomics(const float* x, float* bins, int cols) {
  for (int col = threadIdx.x; col < cols; col += blockDim.x) atomicAdd(&bins[(col * 37) & 1023], x[(size_t)blockIdx.x * cols + col]);
}
