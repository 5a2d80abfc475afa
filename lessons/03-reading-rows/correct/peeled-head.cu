// verdict: AC
// Vectors also where a row starts off a multiple of 16 bytes: up to three floats are peeled off its head, and what follows is
// aligned. That works when in and out are off by the same amount; where they are not, the row goes float by float.
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int kThreads = 128;

/// How many floats lie before the next multiple of 16 bytes.
__device__ int floats_to_16_bytes(const float* place) {
  return static_cast<int>((4 - reinterpret_cast<std::uintptr_t>(place) / sizeof(float) % 4) % 4);
}

__global__ void row_scale_kernel(const float* __restrict__ x,  // [rows, cols], row stride x_stride
                                 float* __restrict__ y,        // [rows, cols], row stride y_stride
                                 int cols, long long x_stride, long long y_stride, float alpha) {
  const float* in = x + blockIdx.x * x_stride;
  float* out = y + blockIdx.x * y_stride;
  const bool together = floats_to_16_bytes(in) == floats_to_16_bytes(out);
  const int head = together ? min(cols, floats_to_16_bytes(in)) : cols;
  const int vectors = (cols - head) / 4;
  const int tail = head + 4 * vectors;

  for (int col = threadIdx.x; col < head; col += kThreads) out[col] = alpha * in[col];
  const float4* from = reinterpret_cast<const float4*>(in + head);
  float4* to = reinterpret_cast<float4*>(out + head);
  for (int i = threadIdx.x; i < vectors; i += kThreads) {
    const float4 v = from[i];
    to[i] = make_float4(alpha * v.x, alpha * v.y, alpha * v.z, alpha * v.w);
  }
  for (int col = tail + threadIdx.x; col < cols; col += kThreads) out[col] = alpha * in[col];
}

}  // namespace

cudaError_t launch_row_scale(const float* x, float* y, int rows, int cols, long long x_stride, long long y_stride, float alpha) {
  row_scale_kernel<<<rows, kThreads>>>(x, y, cols, x_stride, y_stride, alpha);
  return cudaGetLastError();
}
