// verdict: AC
// The group waits in dynamic shared memory as far as the device has any, and the rest is read again. Scale and shift of a channel are one
// multiplication and one addition, worked out in front of its pixels.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 512;

__global__ void groupnorm_kernel(const float* x,      // [rows, cols], row stride x_stride
                                 const float* gamma,  // [channels] or null
                                 const float* beta,   // [channels] or null
                                 float* y,            // [rows, cols], row stride y_stride; may be x
                                 int cols, int groups, int channels_of_group, int room, float eps, long long x_stride, long long y_stride) {
  extern __shared__ float shared[];  // [kMaxWarps + room]
  float* partials = shared;
  float* staged = shared + kMaxWarps;
  const int first_channel = static_cast<int>(blockIdx.x % groups) * channels_of_group;
  const long long first_row = static_cast<long long>(blockIdx.x) * channels_of_group;
  const int size = channels_of_group * cols;
  const auto value = [&](int c, int pixel) {
    const int i = c * cols + pixel;
    return i < room ? staged[i] : x[(first_row + c) * x_stride + pixel];
  };

  float sum = 0.0f;
  for (int c = 0; c < channels_of_group; ++c) {
    for (int pixel = threadIdx.x; pixel < cols; pixel += kThreads) {
      const float v = x[(first_row + c) * x_stride + pixel];
      if (c * cols + pixel < room) staged[c * cols + pixel] = v;
      sum += v;
    }
  }
  const float mean = block_reduce<Sum>(sum, partials) / size;

  float squares = 0.0f;
  for (int c = 0; c < channels_of_group; ++c) {
    for (int pixel = threadIdx.x; pixel < cols; pixel += kThreads) squares += (value(c, pixel) - mean) * (value(c, pixel) - mean);
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / size + eps);

  for (int c = 0; c < channels_of_group; ++c) {
    const float factor = gamma == nullptr ? scale : scale * gamma[first_channel + c];
    const float shift = (beta == nullptr ? 0.0f : beta[first_channel + c]) - mean * factor;
    for (int pixel = threadIdx.x; pixel < cols; pixel += kThreads) {
      y[(first_row + c) * y_stride + pixel] = value(c, pixel) * factor + shift;
    }
  }
}

}  // namespace

cudaError_t launch_groupnorm(const float* x,      // [rows, cols], row stride x_stride
                             const float* gamma,  // [channels] or null
                             const float* beta,   // [channels] or null
                             float* y,            // [rows, cols], row stride y_stride; may be x
                             int rows, int cols, int channels, int groups, float eps, long long x_stride, long long y_stride) {
  if (rows == 0) return cudaSuccess;
  const int channels_of_group = channels / groups;
  int device = 0, most_bytes = 0;
  if (const cudaError_t status = cudaGetDevice(&device); status != cudaSuccess) return status;
  cudaError_t status = cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (status != cudaSuccess) return status;
  const int most = most_bytes / static_cast<int>(sizeof(float)) - kMaxWarps;
  const int size = channels_of_group * cols;
  const int room = size < most ? size : most;
  const int bytes = (kMaxWarps + room) * static_cast<int>(sizeof(float));
  status = cudaFuncSetAttribute(groupnorm_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (status != cudaSuccess) return status;
  groupnorm_kernel<<<rows / channels_of_group, kThreads, bytes>>>(x, gamma, beta, y, cols, groups, channels_of_group, room, eps, x_stride,
                                                                  y_stride);
  return cudaGetLastError();
}
