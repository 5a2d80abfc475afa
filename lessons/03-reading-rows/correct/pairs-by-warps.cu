// verdict: AC
// One warp a row, two floats a lane: 8-byte alignment is enough, and more rows have it. The host decides for all rows at once: both
// bases and both strides must be even.
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int kWarpSize = 32;
constexpr int kRowsPerBlock = 8;

template <bool kPairs>
__global__ void row_scale_kernel(const float* __restrict__ x,  // [rows, cols], row stride x_stride
                                 float* __restrict__ y,        // [rows, cols], row stride y_stride
                                 int rows, int cols, long long x_stride, long long y_stride, float alpha) {
  const int lane = threadIdx.x % kWarpSize;
  const int row = blockIdx.x * kRowsPerBlock + threadIdx.x / kWarpSize;
  if (row >= rows) return;
  const float* in = x + row * x_stride;
  float* out = y + row * y_stride;
  const int pairs = kPairs ? cols / 2 : 0;
  for (int i = lane; i < pairs; i += kWarpSize) {
    const float2 v = reinterpret_cast<const float2*>(in)[i];
    reinterpret_cast<float2*>(out)[i] = make_float2(alpha * v.x, alpha * v.y);
  }
  for (int col = 2 * pairs + lane; col < cols; col += kWarpSize) out[col] = alpha * in[col];
}

bool on_8_bytes(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % 8 == 0; }

}  // namespace

cudaError_t launch_row_scale(const float* x, float* y, int rows, int cols, long long x_stride, long long y_stride, float alpha) {
  const bool pairs = on_8_bytes(x) && on_8_bytes(y) && x_stride % 2 == 0 && y_stride % 2 == 0;
  const int blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  if (pairs) {
    row_scale_kernel<true><<<blocks, kRowsPerBlock * kWarpSize>>>(x, y, rows, cols, x_stride, y_stride, alpha);
  } else {
    row_scale_kernel<false><<<blocks, kRowsPerBlock * kWarpSize>>>(x, y, rows, cols, x_stride, y_stride, alpha);
  }
  return cudaGetLastError();
}
