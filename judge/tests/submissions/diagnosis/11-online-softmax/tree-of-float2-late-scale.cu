// mistake-of: old-maximum-overwritten
#include <cuda_runtime.h>
#include <math.h>

namespace {

const int N = 128;

__device__ float2 join(float2 p, float2 q) {  // x: largest, y: sum as seen from it
  float2 r;
  r.x = fmaxf(p.x, q.x);
  if (r.x == -INFINITY) {
    r.y = p.y + q.y;
  } else {
    r.y = p.y * expf(p.x - r.x) + q.y * expf(q.x - r.x);
  }
  return r;
}

__global__ void online(const float* x, float* y, int cols) {
  __shared__ float2 node[N];
  const int t = threadIdx.x;
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;

  float m = -INFINITY;
  float s = 0.0f;
  for (int c = t; c < cols; c += N) {
    const float v = in[c];
    if (v == -INFINITY) continue;
    const float bigger = fmaxf(m, v);
    m = bigger;
    s *= expf(m - bigger);
    s += expf(v - bigger);
  }
  node[t] = make_float2(m, s);
  __syncthreads();
  for (int k = N / 2; k > 0; k >>= 1) {
    if (t < k) node[t] = join(node[t], node[t + k]);
    __syncthreads();
  }
  m = node[0].x;
  s = node[0].y;
  for (int c = t; c < cols; c += N) out[c] = s == 0.0f || in[c] == -INFINITY ? s * 0.0f : expf(in[c] - m) / s;
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  online<<<rows, N>>>(x, y, cols);
  return cudaGetLastError();
}
