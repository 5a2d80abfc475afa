// mistake-of: stride-unchecked
#include <cuda_runtime.h>
#include <stdint.h>

// Three walks over the row in memory; the vectors flag is found by each block for its own row.
constexpr int B = 128;

__device__ bool on16(const float* p) { return ((uintptr_t)p & 15u) == 0; }

__device__ float sumOfBlock(float v, float* sh) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) sh[threadIdx.x / 32] = v;
  __syncthreads();
  const float r = sh[0] + sh[1] + sh[2] + sh[3];
  __syncthreads();
  return r;
}

__global__ void ln4(const float* x, const float* gamma, const float* beta, float* y, int cols, long long xs, long long ys, float eps) {
  __shared__ float sh[4];
  const float* in = x + blockIdx.x * xs;
  float* out = y + blockIdx.x * ys;
  const bool vec = on16(x) && on16(y) && on16(gamma) && on16(beta);
  const int quads = vec ? cols / 4 : 0;
  const float4* in4 = (const float4*)in;
  const float4* g4 = (const float4*)gamma;
  const float4* b4 = (const float4*)beta;
  float4* out4 = (float4*)out;

  float s = 0.0f;
  for (int q = threadIdx.x; q < quads; q += B) {
    const float4 v = in4[q];
    s += v.x + v.y + v.z + v.w;
  }
  for (int c = 4 * quads + threadIdx.x; c < cols; c += B) s += in[c];
  const float mean = sumOfBlock(s, sh) / cols;

  s = 0.0f;
  for (int q = threadIdx.x; q < quads; q += B) {
    const float4 v = in4[q];
    const float a = v.x - mean, b = v.y - mean, c = v.z - mean, d = v.w - mean;
    s += a * a + b * b + c * c + d * d;
  }
  for (int c = 4 * quads + threadIdx.x; c < cols; c += B) s += (in[c] - mean) * (in[c] - mean);
  const float inv = rsqrtf(sumOfBlock(s, sh) / cols + eps);

  for (int q = threadIdx.x; q < quads; q += B) {
    const float4 v = in4[q], g = g4[q], b = b4[q];
    out4[q] = make_float4((v.x - mean) * inv * g.x + b.x, (v.y - mean) * inv * g.y + b.y, (v.z - mean) * inv * g.z + b.z,
                          (v.w - mean) * inv * g.w + b.w);
  }
  for (int c = 4 * quads + threadIdx.x; c < cols; c += B) out[c] = (in[c] - mean) * inv * gamma[c] + beta[c];
}

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, long long x_stride,
                             long long y_stride, float eps) {
  if (cols > 8192) return cudaErrorInvalidValue;
  ln4<<<rows, B>>>(x, gamma, beta, y, cols, x_stride, y_stride, eps);
  return cudaGetLastError();
}
