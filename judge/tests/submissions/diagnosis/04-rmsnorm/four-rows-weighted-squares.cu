// mistake-of: weight-first
#include <cuda_runtime.h>

namespace {

constexpr int kWarps = 4;  // rows of a block

__global__ void rms_by_warp(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, int rows, int cols,
                            float eps) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * kWarps + threadIdx.x / 32;
  if (row >= rows) return;
  const float* in = x + static_cast<size_t>(row) * cols;
  float* out = y + static_cast<size_t>(row) * cols;

  float a = 0.0f, b = 0.0f;
  int c = lane;
  for (; c + 32 < cols; c += 64) {
    const float p = in[c] * w[c], q = in[c + 32] * w[c + 32];
    a = fmaf(p, p, a);
    b = fmaf(q, q, b);
  }
  if (c < cols) a = fmaf(in[c] * w[c], in[c] * w[c], a);
  float ss = a + b;
  for (int d = 1; d <= 16; d *= 2) ss += __shfl_xor_sync(0xffffffffu, ss, d);

  const float factor = 1.0f / sqrtf(ss / cols + eps);
  for (c = lane; c < cols; c += 32) out[c] = w[c] * (in[c] * factor);
}

}  // namespace

cudaError_t launch_rmsnorm(const float* x, const float* weight, float* y, int rows, int cols, float eps) {
  rms_by_warp<<<(rows + kWarps - 1) / kWarps, kWarps * 32>>>(x, weight, y, rows, cols, eps);
  return cudaGetLastError();
}
