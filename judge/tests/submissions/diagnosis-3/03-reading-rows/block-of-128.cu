// mistake-of: rest-in-one-step
#include <cuda_runtime.h>

#include <cstdint>

#include "common/kernel/watch.cuh"

namespace {

constexpr int kThreads = 128;
constexpr int kFloatsPerVector = 4;
constexpr int kVectorBytes = 16;

__device__ bool starts_on_16_bytes(const float* place) { return reinterpret_cast<std::uintptr_t>(place) % kVectorBytes == 0; }

__device__ float4 load_vector(const float* __restrict__ row, int vector) { return reinterpret_cast<const float4*>(row)[vector]; }

__device__ void store_vector(float* __restrict__ row, int vector, float4 value) { reinterpret_cast<float4*>(row)[vector] = value; }

__device__ float4 times(float alpha, float4 v) { return make_float4(alpha * v.x, alpha * v.y, alpha * v.z, alpha * v.w); }

__global__ void row_scale_kernel(const float* __restrict__ x, float* __restrict__ y, int cols, long long x_stride, long long y_stride,
                                 float alpha) {
  const float* in = x + blockIdx.x * x_stride;
  float* out = y + blockIdx.x * y_stride;

  const bool whole = starts_on_16_bytes(in) && starts_on_16_bytes(out);
  const int vectors = whole ? cols / kFloatsPerVector : 0;
  for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
    store_vector(out, i, times(alpha, load_vector(in, i)));
  }
  const int col = vectors * kFloatsPerVector + threadIdx.x;  // what is left: fewer than four
  if (col < cols) out[col] = alpha * in[col];
  WATCH(vectors);
}

}  // namespace

cudaError_t launch_row_scale(const float* x, float* y, int rows, int cols, long long x_stride, long long y_stride, float alpha) {
  row_scale_kernel<<<rows, kThreads>>>(x, y, cols, x_stride, y_stride, alpha);
  return cudaGetLastError();
}
