// mistake-of: old-maximum-overwritten
#include <cuda_runtime.h>
#include <math.h>

#define NT 128

// m: running maximum, s: running sum of exp(x - m). The block then takes the maximum over all m, and the sums moved to it.
__global__ void online(const float* __restrict__ x, float* __restrict__ y, int cols) {
  __shared__ float buf[NT];
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  const int t = threadIdx.x;

  float m = -INFINITY, s = 0.0f;
  for (int c = t; c < cols; c += NT) {
    const float v = in[c];
    if (v == -INFINITY) continue;
    m = fmaxf(m, v);
    const float old = m;
    s = s * expf(old - m) + expf(v - m);
  }

  buf[t] = m;
  __syncthreads();
  for (int k = NT / 2; k > 0; k /= 2) {
    if (t < k) buf[t] = fmaxf(buf[t], buf[t + k]);
    __syncthreads();
  }
  const float rowMax = buf[0];
  __syncthreads();

  buf[t] = m == -INFINITY ? s : s * expf(m - rowMax);
  __syncthreads();
  for (int k = NT / 2; k > 0; k /= 2) {
    if (t < k) buf[t] += buf[t + k];
    __syncthreads();
  }
  const float rowSum = buf[0];

  for (int c = t; c < cols; c += NT) {
    const float v = in[c];
    if (rowSum == 0.0f) {
      out[c] = 0.0f;
    } else {
      out[c] = expf(v - rowMax) / rowSum;
    }
  }
}

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  online<<<rows, NT>>>(x, y, cols);
  return cudaGetLastError();
}
