// mistake-of: no-weight
#include <cuda_runtime.h>

// count, mean and m2 in three arrays of shared memory; thread t folds in thread t + h
constexpr int kBlock = 128;

__global__ void welford(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
                        float* __restrict__ y, int cols, float eps) {
  __shared__ float cnt[kBlock], avg[kBlock], dev[kBlock];
  const int t = threadIdx.x;
  const float* in = x + (size_t)blockIdx.x * cols;

  float n = 0.0f, m = 0.0f, s = 0.0f;
  for (int c = t; c < cols; c += kBlock) {
    const float v = in[c];
    const float before = v - m;
    n += 1.0f;
    m += before / n;
    s += before * (v - m);
  }
  cnt[t] = n;
  avg[t] = m;
  dev[t] = s;
  __syncthreads();

  for (int h = kBlock / 2; h > 0; h /= 2) {
    if (t < h && cnt[t + h] > 0.0f) {
      const float na = cnt[t], nb = cnt[t + h];
      const float d = avg[t + h] - avg[t];
      dev[t] += dev[t + h] + d * d;
      avg[t] += d * nb / (na + nb);
      cnt[t] = na + nb;
    }
    __syncthreads();
  }

  const float mean = avg[0];
  const float scale = rsqrtf(dev[0] / cols + eps);
  for (int c = t; c < cols; c += kBlock) y[(size_t)blockIdx.x * cols + c] = (in[c] - mean) * scale * gamma[c] + beta[c];
}

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  welford<<<rows, kBlock>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
