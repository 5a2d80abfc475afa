// verdict: AC
// LayerNorm with a head, a body and a tail for each row: up to three floats one by one until the row reaches a multiple of 16 bytes, then
// vectors, then the rest. So a misaligned row of x is read by vectors all the same. y, gamma and beta, which may be misaligned in
// another way, go float by float. One warp a row, four rows a block, the row in shared memory in its own order.
#include <cuda_runtime.h>
#include <stdint.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::kWarpSize;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kRowsPerBlock = 4;
constexpr int kRowCapacity = 2100;

__global__ void layernorm_kernel(const float* __restrict__ x,      // [rows, cols], row stride x_stride
                                 const float* __restrict__ gamma,  // [cols]
                                 const float* __restrict__ beta,   // [cols]
                                 float* __restrict__ y,            // [rows, cols], row stride y_stride
                                 int rows, int cols, long long x_stride, long long y_stride, float eps) {
  __shared__ float staged[kRowsPerBlock][kRowCapacity];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const long long row = static_cast<long long>(blockIdx.x) * kRowsPerBlock + warp;
  if (row >= rows) return;  // a whole warp leaves, and no barrier waits for it
  const float* x_row = x + row * x_stride;
  float* y_row = y + row * y_stride;
  float* held = staged[warp];

  const int misplaced = static_cast<int>(reinterpret_cast<uintptr_t>(x_row) % 16 / sizeof(float));
  const int head = min(cols, (4 - misplaced) % 4);
  const int vectors = (cols - head) / 4;
  if (lane < head) held[lane] = x_row[lane];
  const float4* body = reinterpret_cast<const float4*>(x_row + head);
  for (int i = lane; i < vectors; i += kWarpSize) {
    const float4 v = body[i];
    float* to = held + head + 4 * i;
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
    to[3] = v.w;
  }
  for (int col = head + 4 * vectors + lane; col < cols; col += kWarpSize) held[col] = x_row[col];
  __syncwarp();

  float sum = 0.0f;
  for (int col = lane; col < cols; col += kWarpSize) sum += held[col];
  const float mean = warp_reduce<Sum>(sum) / cols;
  float squares = 0.0f;
  for (int col = lane; col < cols; col += kWarpSize) squares += (held[col] - mean) * (held[col] - mean);
  const float scale = rsqrtf(warp_reduce<Sum>(squares) / cols + eps);
  for (int col = lane; col < cols; col += kWarpSize) y_row[col] = (held[col] - mean) * scale * gamma[col] + beta[col];
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, long long x_stride,
                             long long y_stride, float eps) {
  if (cols > kRowCapacity) return cudaErrorInvalidValue;
  const int blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  layernorm_kernel<<<blocks, kRowsPerBlock * kWarpSize>>>(x, gamma, beta, y, rows, cols, x_stride, y_stride, eps);
  return cudaGetLastError();
}
