// mistake-of: eps-as-floor
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::kAllLanes;
using warpbook::kernel::kWarpSize;

constexpr int kRows = 2;  // rows of a block, one warp each

// One warp a row: no shared memory, no barrier. Lane 0 adds up, takes the root and tells the others.
__global__ void rmsnorm_kernel(const float* __restrict__ x, const float* __restrict__ weight, float* __restrict__ y, int rows, int cols,
                               float eps) {
  const int lane = threadIdx.x;
  const int r = blockIdx.x * kRows + threadIdx.y;
  if (r >= rows) return;
  const float* in = x + static_cast<size_t>(r) * cols;
  float* out = y + static_cast<size_t>(r) * cols;

  float squares = 0.0f;
  for (int col = lane; col < cols; col += kWarpSize) squares += in[col] * in[col];
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) squares += __shfl_down_sync(kAllLanes, squares, offset);

  float scale = rsqrtf(fmaxf(squares / cols, eps));
  scale = __shfl_sync(kAllLanes, scale, 0);
  WATCH(scale);

  for (int col = lane; col < cols; col += kWarpSize) out[col] = in[col] * scale * weight[col];
}

}  // namespace

cudaError_t launch_rmsnorm(const float* x, const float* weight, float* y, int rows, int cols, float eps) {
  rmsnorm_kernel<<<(rows + kRows - 1) / kRows, dim3(kWarpSize, kRows)>>>(x, weight, y, rows, cols, eps);
  return cudaGetLastError();
}
