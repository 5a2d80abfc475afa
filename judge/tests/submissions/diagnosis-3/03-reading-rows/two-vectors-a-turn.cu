// mistake-of: tail-dropped
#include <cuda_runtime.h>

#include <cstdint>

#include "common/kernel/watch.cuh"

namespace {

constexpr int kThreads = 256;
constexpr int kFloatsPerVector = 4;

__device__ bool starts_on_16_bytes(const float* place) { return reinterpret_cast<std::uintptr_t>(place) % 16 == 0; }

__device__ float4 times(float alpha, float4 v) { return make_float4(alpha * v.x, alpha * v.y, alpha * v.z, alpha * v.w); }

__global__ void row_scale_kernel(const float* __restrict__ x, float* __restrict__ y, int cols, long long x_stride, long long y_stride,
                                 float alpha) {
  const float* in = x + blockIdx.x * x_stride;
  float* out = y + blockIdx.x * y_stride;

  if (starts_on_16_bytes(in) && starts_on_16_bytes(out)) {
    const float4* from = reinterpret_cast<const float4*>(in);
    float4* to = reinterpret_cast<float4*>(out);
    const int vectors = cols / kFloatsPerVector;
    int i = threadIdx.x;
    // Two vectors a turn, so that the second load need not wait for the first.
    while (i + kThreads < vectors) {
      const float4 first = from[i];
      const float4 second = from[i + kThreads];
      to[i] = times(alpha, first);
      to[i + kThreads] = times(alpha, second);
      i += 2 * kThreads;
    }
    if (i < vectors) to[i] = times(alpha, from[i]);
  } else {
    int col = threadIdx.x;
    while (col < cols) {
      out[col] = alpha * in[col];
      col += kThreads;
    }
  }
}

}  // namespace

cudaError_t launch_row_scale(const float* x, float* y, int rows, int cols, long long x_stride, long long y_stride, float alpha) {
  row_scale_kernel<<<rows, kThreads>>>(x, y, cols, x_stride, y_stride, alpha);
  return cudaGetLastError();
}
