// verdict: AC
// medal: lost
// mistake: x is read three times where once will do
// A block a group, a loop over its channels and one over their pixels: no division, three reads.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

__global__ void groupnorm_kernel(const float* x,      // [rows, cols], row stride x_stride
                                 const float* gamma,  // [channels] or null
                                 const float* beta,   // [channels] or null
                                 float* y,            // [rows, cols], row stride y_stride; may be x
                                 int cols, int groups, int channels_of_group, float eps, long long x_stride, long long y_stride) {
  __shared__ float partials[kMaxWarps];
  const int first_channel = static_cast<int>(blockIdx.x % groups) * channels_of_group;
  const long long first_row = static_cast<long long>(blockIdx.x) * channels_of_group;
  const float size = static_cast<float>(channels_of_group) * cols;

  float sum = 0.0f;
  for (int c = 0; c < channels_of_group; ++c) {
    const float* pixels = x + (first_row + c) * x_stride;
    for (int i = threadIdx.x; i < cols; i += kThreads) sum += pixels[i];
  }
  const float mean = block_reduce<Sum>(sum, partials) / size;

  float squares = 0.0f;
  for (int c = 0; c < channels_of_group; ++c) {
    const float* pixels = x + (first_row + c) * x_stride;
    for (int i = threadIdx.x; i < cols; i += kThreads) squares += (pixels[i] - mean) * (pixels[i] - mean);
  }
  const float scale = 1.0f / sqrtf(block_reduce<Sum>(squares, partials) / size + eps);

  for (int c = 0; c < channels_of_group; ++c) {
    const float* pixels = x + (first_row + c) * x_stride;
    float* out = y + (first_row + c) * y_stride;
    const float weight = gamma == nullptr ? 1.0f : gamma[first_channel + c];
    const float shift = beta == nullptr ? 0.0f : beta[first_channel + c];
    for (int i = threadIdx.x; i < cols; i += kThreads) out[i] = (pixels[i] - mean) * scale * weight + shift;
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
  groupnorm_kernel<<<rows / channels_of_group, kThreads>>>(x, gamma, beta, y, cols, groups, channels_of_group, eps, x_stride, y_stride);
  return cudaGetLastError();
}
