// mistake-of: tail-behind-a-body
#include <cuda_runtime.h>
#include <stdint.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;
constexpr int kRowCapacity = 8192;

__device__ float sum4(float4 v) { return (v.x + v.y) + (v.z + v.w); }

__device__ float squares4(float4 v, float mean) {
  v.x -= mean;
  v.y -= mean;
  v.z -= mean;
  v.w -= mean;
  return v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
}

__device__ float4 finish4(float4 v, float mean, float scale, float4 g, float4 b) {
  return make_float4((v.x - mean) * scale * g.x + b.x, (v.y - mean) * scale * g.y + b.y, (v.z - mean) * scale * g.z + b.z,
                     (v.w - mean) * scale * g.w + b.w);
}

__global__ void layernorm_kernel(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
                                 float* __restrict__ y, int cols, long long x_stride, long long y_stride, float eps, int vectors) {
  __shared__ float partials[kMaxWarps];
  __shared__ __align__(16) float staged[kRowCapacity];
  const float* x_row = x + blockIdx.x * x_stride;
  float* y_row = y + blockIdx.x * y_stride;
  float4* staged4 = reinterpret_cast<float4*>(staged);
  const float4* x4 = reinterpret_cast<const float4*>(x_row);

  // two vectors a turn: i and i + kThreads
  float sum = 0.0f;
  int i = threadIdx.x;
  while (i + kThreads < vectors) {
    const float4 a = x4[i];
    const float4 b = x4[i + kThreads];
    staged4[i] = a;
    staged4[i + kThreads] = b;
    sum += sum4(a) + sum4(b);
    i += 2 * kThreads;
  }
  if (i < vectors) {
    const float4 a = x4[i];
    staged4[i] = a;
    sum += sum4(a);
  }
  int col = 4 * vectors + threadIdx.x;
  while (col < cols) {
    sum += staged[col] = x_row[col];
    col += kThreads;
  }
  const float mean = block_reduce<Sum>(sum, partials) / cols;

  float squares = 0.0f;
  i = threadIdx.x;
  while (i + kThreads < vectors) {
    squares += squares4(staged4[i], mean) + squares4(staged4[i + kThreads], mean);
    i += 2 * kThreads;
  }
  if (i < vectors) squares += squares4(staged4[i], mean);
  col = 4 * vectors + threadIdx.x;
  while (col < cols) {
    const float d = staged[col] - mean;
    squares += d * d;
    col += kThreads;
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);

  const float4* g4 = reinterpret_cast<const float4*>(gamma);
  const float4* b4 = reinterpret_cast<const float4*>(beta);
  float4* y4 = reinterpret_cast<float4*>(y_row);
  i = threadIdx.x;
  while (i + kThreads < vectors) {
    y4[i] = finish4(staged4[i], mean, scale, g4[i], b4[i]);
    y4[i + kThreads] = finish4(staged4[i + kThreads], mean, scale, g4[i + kThreads], b4[i + kThreads]);
    i += 2 * kThreads;
  }
  if (i < vectors) y4[i] = finish4(staged4[i], mean, scale, g4[i], b4[i]);
  col = cols - cols % 4 + threadIdx.x;  // the rest behind the vectors
  while (col < cols) {
    y_row[col] = (staged[col] - mean) * scale * gamma[col] + beta[col];
    col += kThreads;
  }
}

bool aligned(const void* p) { return reinterpret_cast<uintptr_t>(p) % sizeof(float4) == 0; }

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, long long x_stride,
                             long long y_stride, float eps) {
  if (cols > kRowCapacity) return cudaErrorInvalidValue;
  const bool all = aligned(x) && aligned(gamma) && aligned(beta) && aligned(y) && x_stride % 4 == 0 && y_stride % 4 == 0;
  layernorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, cols, x_stride, y_stride, eps, all ? cols / 4 : 0);
  return cudaGetLastError();
}
