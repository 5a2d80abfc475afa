// mistake-of: shared-without-asking
#include <cuda_runtime.h>
#include <math.h>

#include "common/kernel/reduce.cuh"

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

namespace {

constexpr int kWide = 256;    // threads where a block takes a row or a piece
constexpr int kPiece = 4096;  // columns of a piece

__device__ float power(float logit, float m) { return logit == -INFINITY ? 0.0f : expf(logit - m); }
__device__ float over(float a, float z) { return z == 0.0f ? 0.0f : a / z; }

// short: a warp a row, kSlots columns a lane
template <int kSlots>
__global__ void in_registers(const float* x, float* y, int rows, int cols) {
  const int lane = threadIdx.x % 32;
  const int row = 2 * blockIdx.x + threadIdx.x / 32;
  if (row >= rows) return;
  const size_t at = (size_t)row * cols;
  float v[kSlots];
  float m = -INFINITY;
#pragma unroll
  for (int k = 0; k < kSlots; ++k) {
    const int c = lane + 32 * k;
    v[k] = c < cols ? x[at + c] : -INFINITY;
    m = fmaxf(m, v[k]);
  }
  m = warp_reduce<Max>(m);
  float z = 0.0f;
#pragma unroll
  for (int k = 0; k < kSlots; ++k) {
    v[k] = power(v[k], m);
    z += v[k];
  }
  z = warp_reduce<Sum>(z);
#pragma unroll
  for (int k = 0; k < kSlots; ++k) {
    const int c = lane + 32 * k;
    if (c < cols) y[at + c] = over(v[k], z);
  }
}

// middle: a block a row, the row in dynamic shared memory
__global__ void in_shared(const float* x, float* y, int cols) {
  extern __shared__ float v[];
  __shared__ float parts[kMaxWarps];
  const size_t at = (size_t)blockIdx.x * cols;
  float m = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += kWide) {
    v[c] = x[at + c];
    m = fmaxf(m, v[c]);
  }
  m = block_reduce<Max>(m, parts);
  float z = 0.0f;
  for (int c = threadIdx.x; c < cols; c += kWide) {
    v[c] = power(v[c], m);
    z += v[c];
  }
  z = block_reduce<Sum>(z, parts);
  for (int c = threadIdx.x; c < cols; c += kWide) y[at + c] = over(v[c], z);
}

// long: a block a piece; what is known of the pieces lies in scratch, [rows, pieces]
__global__ void pieces_look(const float* x, float2* scratch, int cols) {
  __shared__ float parts[kMaxWarps];
  const float* row = x + (size_t)blockIdx.y * cols;
  const int begin = blockIdx.x * kPiece, end = min(cols, begin + kPiece);
  float m = -INFINITY, z = 0.0f;
  for (int c = begin + threadIdx.x; c < end; c += kWide) m = fmaxf(m, row[c]);
  m = block_reduce<Max>(m, parts);
  for (int c = begin + threadIdx.x; c < end; c += kWide) z += power(row[c], m);
  z = block_reduce<Sum>(z, parts);
  if (threadIdx.x == 0) scratch[blockIdx.y * gridDim.x + blockIdx.x] = make_float2(m, z);
}

__global__ void pieces_write(const float* x, const float2* scratch, float* y, int cols) {
  const float* row = x + (size_t)blockIdx.y * cols;
  const int begin = blockIdx.x * kPiece, end = min(cols, begin + kPiece);
  const float2* of_row = scratch + blockIdx.y * gridDim.x;
  float m = -INFINITY, z = 0.0f;
  for (int p = 0; p < gridDim.x; ++p) m = fmaxf(m, of_row[p].x);
  for (int p = 0; p < gridDim.x; ++p) {
    if (of_row[p].x == -INFINITY && of_row[p].y == 0.0f) continue;
    z += of_row[p].y * expf(of_row[p].x - m);
  }
  for (int c = begin + threadIdx.x; c < end; c += kWide) y[(size_t)blockIdx.y * cols + c] = over(power(row[c], m), z);
}

}  // namespace

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  if (cols <= 128) {
    in_registers<4><<<(rows + 1) / 2, 64>>>(x, y, rows, cols);
    return cudaGetLastError();
  }
  if (cols <= 1024) {
    in_registers<32><<<(rows + 1) / 2, 64>>>(x, y, rows, cols);
    return cudaGetLastError();
  }
  int device = 0, room = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess) status = cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (status != cudaSuccess) return status;
  const int need = cols * sizeof(float);
  const int taken = kMaxWarps * sizeof(float);
  if (need + taken <= room) {
    in_shared<<<rows, kWide, need>>>(x, y, cols);
    return cudaGetLastError();
  }
  const dim3 grid((cols + kPiece - 1) / kPiece, rows);
  float2* scratch = nullptr;
  status = cudaMallocAsync(&scratch, sizeof(float2) * grid.x * grid.y, 0);
  if (status != cudaSuccess) return status;
  pieces_look<<<grid, kWide>>>(x, scratch, cols);
  status = cudaGetLastError();
  if (status == cudaSuccess) {
    pieces_write<<<grid, kWide>>>(x, scratch, y, cols);
    status = cudaGetLastError();
  }
  const cudaError_t freed = cudaFreeAsync(scratch, 0);
  return status == cudaSuccess ? freed : status;
}
