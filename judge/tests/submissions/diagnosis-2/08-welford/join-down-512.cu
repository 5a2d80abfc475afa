// mistake-of: old-distance-twice
#include <cuda_runtime.h>

struct Stat {
  float n, mu, m2;
};

__device__ void push(Stat& s, float v) {
  s.n += 1.0f;
  float d = v - s.mu;
  s.mu += d / s.n;
  s.m2 += d * d;
}

__device__ Stat join(Stat p, Stat q) {
  if (q.n == 0.0f) return p;
  if (p.n == 0.0f) return q;
  Stat r;
  r.n = p.n + q.n;
  float d = q.mu - p.mu;
  r.mu = p.mu + d * q.n / r.n;
  r.m2 = p.m2 + q.m2 + d * d * p.n * q.n / r.n;
  return r;
}

__device__ Stat down(Stat s) {
  for (int o = 16; o > 0; o >>= 1) {
    Stat q;
    q.n = __shfl_down_sync(0xffffffffu, s.n, o);
    q.mu = __shfl_down_sync(0xffffffffu, s.mu, o);
    q.m2 = __shfl_down_sync(0xffffffffu, s.m2, o);
    s = join(s, q);
  }
  return s;
}

__global__ void ln_welford(const float* x, const float* gamma, const float* beta, float* y, int cols, float eps) {
  __shared__ Stat all[16];
  const float* r = x + (size_t)blockIdx.x * cols;
  Stat s = {0.0f, 0.0f, 0.0f};
  int c = threadIdx.x;
  while (c < cols) {
    push(s, r[c]);
    c += blockDim.x;
  }
  s = down(s);
  if (threadIdx.x % 32 == 0) all[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w) all[0] = join(all[0], all[w]);
  }
  __syncthreads();
  const float mu = all[0].mu, inv = 1.0f / sqrtf(all[0].m2 / cols + eps);
  for (c = threadIdx.x; c < cols; c += blockDim.x) y[(size_t)blockIdx.x * cols + c] = (r[c] - mu) * inv * gamma[c] + beta[c];
}

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  ln_welford<<<rows, 512>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
