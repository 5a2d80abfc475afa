// mistake-of: no-tail
// LayerNorm with four floats an access: y = (x - mean) / sqrt(variance + eps) * gamma + beta, one block a row, rows of any stride.
//
// The idea: a float4 moves the bytes of four floats in one instruction. It must lie on a multiple of 16 bytes, and that is a property
// of base, stride and length together: the base decides for row 0, the stride for all other rows, the length how many elements
// are left for a tail. So each row is a body of vectors and a tail of floats, and a row that is not aligned is all tail. The row waits in
// shared memory as in lesson 12; two passes over it as in lesson 07. Population variance (divide by cols), eps > 0 inside the root,
// |x| <= 1e15. Still bad: one misaligned argument sends the whole matrix down the slow road, and short rows leave threads idle (lesson 14).
//
// Run it: ./workbook run 13
#include <cuda_runtime.h>
#include <stdint.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;       // a multiple of 32, as block_reduce asks
constexpr int kWidth = 4;           // floats of a vector
constexpr int kRowCapacity = 8192;  // columns that fit into 32 KB of shared memory; longer rows are refused

// region load
/// Copies a row to shared memory, and returns the sum of what this thread copied. The first kWidth * vectors columns go as vectors,
/// the rest one by one. A thread later reads only what it wrote itself, so the row needs no barrier.
__device__ float stage_row(const float* __restrict__ row,  // [cols]
                           float* __restrict__ staged,     // [cols], shared memory
                           int cols, int vectors) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < vectors; i += kThreads) {
    const float4 v = reinterpret_cast<const float4*>(row)[i];
    reinterpret_cast<float4*>(staged)[i] = v;
    sum += (v.x + v.y) + (v.z + v.w);
    WATCH(sum);
  }
  for (int col = kWidth * vectors + threadIdx.x; col < cols; col += kThreads) {
    staged[col] = row[col];
    sum += staged[col];
  }
  return sum;
}

/// The squared distances from the mean of what this thread copied.
__device__ float squared_distances(const float* __restrict__ staged,  // [cols], shared memory
                                   int cols, int vectors, float mean) {
  float squares = 0.0f;
  for (int i = threadIdx.x; i < vectors; i += kThreads) {
    const float4 v = reinterpret_cast<const float4*>(staged)[i];
    squares += (v.x - mean) * (v.x - mean) + (v.y - mean) * (v.y - mean) + (v.z - mean) * (v.z - mean) + (v.w - mean) * (v.w - mean);
  }
  for (int col = kWidth * vectors + threadIdx.x; col < cols; col += kThreads) squares += (staged[col] - mean) * (staged[col] - mean);
  return squares;
}
// endregion load

// region kernel
/// Block r normalises row r. With vectors > 0, x, gamma, beta, y and both strides are multiples of 16 bytes.
__global__ void __launch_bounds__(kThreads) layernorm_kernel(const float* __restrict__ x,      // [rows, cols], row stride x_stride
                                                             const float* __restrict__ gamma,  // [cols]
                                                             const float* __restrict__ beta,   // [cols]
                                                             float* __restrict__ y,            // [rows, cols], row stride y_stride
                                                             int cols, long long x_stride, long long y_stride, float eps, int vectors) {
  __shared__ float partials[kMaxWarps];
  __shared__ __align__(16) float staged[kRowCapacity];
  const float* x_row = x + blockIdx.x * x_stride;
  float* y_row = y + blockIdx.x * y_stride;

  const float mean = block_reduce<Sum>(stage_row(x_row, staged, cols, vectors), partials) / cols;
  const float variance = block_reduce<Sum>(squared_distances(staged, cols, vectors, mean), partials) / cols;
  const float scale = rsqrtf(variance + eps);
  WATCH(mean);
  WATCH(scale);

  // >>> blank output: y_row = (staged - mean) * scale * gamma + beta, four columns at a time and then the rest, about 11 lines
  for (int i = threadIdx.x; i < vectors; i += kThreads) {
    const float4 s = reinterpret_cast<const float4*>(staged)[i];
    const float4 g = reinterpret_cast<const float4*>(gamma)[i];
    const float4 b = reinterpret_cast<const float4*>(beta)[i];
    float4 r;
    r.x = (s.x - mean) * scale * g.x + b.x;
    r.y = (s.y - mean) * scale * g.y + b.y;
    r.z = (s.z - mean) * scale * g.z + b.z;
    r.w = (s.w - mean) * scale * g.w + b.w;
    reinterpret_cast<float4*>(y_row)[i] = r;
  }
  // <<< blank output
}
// endregion kernel

// region aligned
bool on_16_bytes(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer) % 16 == 0; }

}  // namespace

/// rows >= 1, 1 <= cols <= 8192 (cudaErrorInvalidValue for longer rows), strides of at least cols.
cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, long long x_stride,
                             long long y_stride, float eps) {
  if (cols > kRowCapacity) return cudaErrorInvalidValue;
  const bool bases = on_16_bytes(x) && on_16_bytes(gamma) && on_16_bytes(beta) && on_16_bytes(y);
  const bool strides = x_stride % kWidth == 0 && y_stride % kWidth == 0;
  const int vectors = bases && strides ? cols / kWidth : 0;
  layernorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, cols, x_stride, y_stride, eps, vectors);
  return cudaGetLastError();
}
// endregion aligned
