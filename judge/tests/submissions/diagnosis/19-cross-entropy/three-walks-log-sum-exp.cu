// mistake-of: log-added-to-maximum
#include <cuda_runtime.h>
#include <math.h>

namespace {

constexpr int kLanes = 128;

__device__ float fold(float v, float* s, bool biggest) {
  __syncthreads();
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = kLanes / 2; k > 0; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] = biggest ? fmaxf(s[threadIdx.x], s[threadIdx.x + k]) : s[threadIdx.x] + s[threadIdx.x + k];
    __syncthreads();
  }
  return s[0];
}

// three walks: maximum, sum, gradient
__global__ void ce(const float* __restrict__ z, const int* __restrict__ t, float* __restrict__ loss, float* __restrict__ grad, int n,
                   float weight) {
  __shared__ float s[kLanes];
  const int r = blockIdx.x;
  const int want = t[r];
  const float* p = z + (size_t)r * n;
  float* g = grad + (size_t)r * n;

  if (want == -100) {
    for (int i = threadIdx.x; i < n; i += kLanes) g[i] = 0.0f;
    if (threadIdx.x == 0) loss[r] = 0.0f;
    return;
  }
  if (want < 0 || want >= n) {
    for (int i = threadIdx.x; i < n; i += kLanes) g[i] = NAN;
    if (threadIdx.x == 0) loss[r] = NAN;
    return;
  }

  float m = -INFINITY;
  for (int i = threadIdx.x; i < n; i += kLanes) m = fmaxf(m, p[i]);
  m = fold(m, s, true);
  float d = 0.0f;
  for (int i = threadIdx.x; i < n; i += kLanes) d += expf(p[i] - m);
  d = fold(d, s, false);

  const float lse = m + logf(d);
  if (threadIdx.x == 0) loss[r] = lse - p[want];
  for (int i = threadIdx.x; i < n; i += kLanes) {
    float q = expf(p[i] - m) / d;
    if (i == want) q -= 1.0f;
    g[i] = weight * q;
  }
}

}  // namespace

cudaError_t launch_cross_entropy(const float* logits, const int* targets, float* loss, float* gradient, int rows, int cols, float scale) {
  ce<<<rows, kLanes>>>(logits, targets, loss, gradient, cols, scale);
  return cudaGetLastError();
}
