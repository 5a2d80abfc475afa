// verdict: AC
// One warp a row. A bfloat16 is the upper half of a float, so it is widened by a shift and rounded by an addition: half of the last place
// that stays, less one, plus the last bit itself, carries exactly when nearest-even rounds up. Half goes through the conversions.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::kWarpSize;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kRowsPerBlock = 4;

__device__ float load(const __half* place) { return __half2float(*place); }
__device__ float load(const __nv_bfloat16* place) {
  const unsigned bits = *reinterpret_cast<const unsigned short*>(place);
  return __uint_as_float(bits << 16);
}
__device__ void store(__half* place, float v) { *place = __float2half_rn(v); }
__device__ void store(__nv_bfloat16* place, float v) {
  unsigned bits = __float_as_uint(v);
  if (isnan(v)) {
    bits = 0x7fc00000u;
  } else {
    bits += 0x7fffu + (bits >> 16 & 1u);
  }
  *reinterpret_cast<unsigned short*>(place) = static_cast<unsigned short>(bits >> 16);
}

template <class T>
__global__ void rmsnorm_kernel(const T* __restrict__ x,       // [rows, cols], dense
                               const T* __restrict__ weight,  // [cols]
                               T* __restrict__ y,             // [rows, cols], dense
                               int rows, int cols, float eps) {
  const int lane = threadIdx.x % kWarpSize;
  const int row = blockIdx.x * kRowsPerBlock + threadIdx.x / kWarpSize;
  if (row >= rows) return;  // a whole warp leaves, and no barrier waits for it
  const T* in = x + static_cast<size_t>(row) * cols;
  T* out = y + static_cast<size_t>(row) * cols;
  float squares = 0.0f;
  for (int col = lane; col < cols; col += kWarpSize) {
    const float v = load(in + col);
    squares += v * v;
  }
  const float scale = rsqrtf(warp_reduce<Sum>(squares) / cols + eps);
  for (int col = lane; col < cols; col += kWarpSize) store(out + col, load(in + col) * (scale * load(weight + col)));
}

}  // namespace

cudaError_t launch_rmsnorm(const __half* x_half, const __half* weight_half, __half* y_half, const __nv_bfloat16* x_bf16,
                           const __nv_bfloat16* weight_bf16, __nv_bfloat16* y_bf16, int rows, int cols, float eps) {
  const int blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  const int threads = kRowsPerBlock * kWarpSize;
  if (x_half != nullptr) rmsnorm_kernel<<<blocks, threads>>>(x_half, weight_half, y_half, rows, cols, eps);
  if (x_bf16 != nullptr) rmsnorm_kernel<<<blocks, threads>>>(x_bf16, weight_bf16, y_bf16, rows, cols, eps);
  return cudaGetLastError();
}
