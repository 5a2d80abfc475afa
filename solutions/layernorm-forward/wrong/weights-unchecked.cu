// verdict: RTE
// reason: misaligned, cuda-error
// cases: weights-off
// mistake: the alignment of x and y is checked, that of gamma and beta is not
// question: how many pointers does your vector kernel read or write by fours, and how many did you check?
// Vectors of four columns where base and stride allow it, single columns elsewhere.
#include <cuda_runtime.h>
#include <stdint.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

bool on_16_bytes(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer) % 16 == 0; }

constexpr int kThreads = 256;

template <bool kVectors>
__global__ void layernorm_kernel(const float* x,      // [rows, cols], row stride x_stride
                                 const float* gamma,  // [cols] or null
                                 const float* beta,   // [cols] or null
                                 float* y,            // [rows, cols], row stride y_stride; may be x
                                 int rows, int cols, long long x_stride, long long y_stride, float eps) {
  __shared__ float partials[kMaxWarps];
  const float* x_row = x + blockIdx.x * x_stride;
  float* y_row = y + blockIdx.x * y_stride;
  const float4* x_quads = reinterpret_cast<const float4*>(x_row);
  const int quads = kVectors ? cols / 4 : 0;
  const int tail = 4 * quads;

  float sum = 0.0f;
  for (int i = threadIdx.x; i < quads; i += kThreads) {
    const float4 q = x_quads[i];
    sum += (q.x + q.y) + (q.z + q.w);
  }
  for (int col = tail + threadIdx.x; col < cols; col += kThreads) sum += x_row[col];
  const float mean = block_reduce<Sum>(sum, partials) / cols;

  float squares = 0.0f;
  for (int i = threadIdx.x; i < quads; i += kThreads) {
    const float4 q = x_quads[i];
    const float4 d = make_float4(q.x - mean, q.y - mean, q.z - mean, q.w - mean);
    squares += (d.x * d.x + d.y * d.y) + (d.z * d.z + d.w * d.w);
  }
  for (int col = tail + threadIdx.x; col < cols; col += kThreads) squares += (x_row[col] - mean) * (x_row[col] - mean);
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);

  for (int i = threadIdx.x; i < quads; i += kThreads) {
    const float4 q = x_quads[i];
    const float4 g = gamma ? reinterpret_cast<const float4*>(gamma)[i] : make_float4(1.0f, 1.0f, 1.0f, 1.0f);
    const float4 b = beta ? reinterpret_cast<const float4*>(beta)[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    reinterpret_cast<float4*>(y_row)[i] = make_float4((q.x - mean) * scale * g.x + b.x, (q.y - mean) * scale * g.y + b.y,
                                                      (q.z - mean) * scale * g.z + b.z, (q.w - mean) * scale * g.w + b.w);
  }
  for (int col = tail + threadIdx.x; col < cols; col += kThreads) {
    y_row[col] = (x_row[col] - mean) * scale * (gamma ? gamma[col] : 1.0f) + (beta ? beta[col] : 0.0f);
  }
}

}  // namespace

cudaError_t launch_layernorm(const float* x,      // [rows, cols], row stride x_stride
                             const float* gamma,  // [cols] or null
                             const float* beta,   // [cols] or null
                             float* y,            // [rows, cols], row stride y_stride; may be x
                             int rows, int cols, long long x_stride, long long y_stride, float eps) {
  if (rows == 0) return cudaSuccess;
  const bool vectors = on_16_bytes(x) && on_16_bytes(y) && x_stride % 4 == 0 && y_stride % 4 == 0;
  if (vectors) {
    layernorm_kernel<true><<<rows, kThreads>>>(x, gamma, beta, y, rows, cols, x_stride, y_stride, eps);
  } else {
    layernorm_kernel<false><<<rows, kThreads>>>(x, gamma, beta, y, rows, cols, x_stride, y_stride, eps);
  }
  return cudaGetLastError();
}
