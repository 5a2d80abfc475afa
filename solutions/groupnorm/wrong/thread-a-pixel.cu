// verdict: RTE
// reason: invalid-launch
// cases: latents, constant, past-registers, very-long
// mistake: a block has at most 1024 threads, and an image may have more pixels than that
// question: how many threads does a block of 64 x 64 pixels have?
// A block a group with a thread for each pixel, which walks its pixel through the channels.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

__global__ void groupnorm_kernel(const float* x,      // [rows, cols], row stride x_stride
                                 const float* gamma,  // [channels] or null
                                 const float* beta,   // [channels] or null
                                 float* y,            // [rows, cols], row stride y_stride; may be x
                                 int cols, int groups, int channels_of_group, float eps, long long x_stride, long long y_stride) {
  __shared__ float partials[kMaxWarps];
  const int first_channel = static_cast<int>(blockIdx.x % groups) * channels_of_group;
  const long long first_row = static_cast<long long>(blockIdx.x) * channels_of_group;
  const int size = channels_of_group * cols;
  const int pixel = threadIdx.x;

  float sum = 0.0f;
  for (int c = 0; pixel < cols && c < channels_of_group; ++c) sum += x[(first_row + c) * x_stride + pixel];
  const float mean = block_reduce<Sum>(sum, partials) / size;

  float squares = 0.0f;
  for (int c = 0; pixel < cols && c < channels_of_group; ++c) {
    const float distance = x[(first_row + c) * x_stride + pixel] - mean;
    squares += distance * distance;
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / size + eps);

  for (int c = 0; pixel < cols && c < channels_of_group; ++c) {
    const float weight = gamma == nullptr ? 1.0f : gamma[first_channel + c];
    const float shift = beta == nullptr ? 0.0f : beta[first_channel + c];
    y[(first_row + c) * y_stride + pixel] = (x[(first_row + c) * x_stride + pixel] - mean) * scale * weight + shift;
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
  const int threads = (cols + 31) / 32 * 32;
  groupnorm_kernel<<<rows / channels_of_group, threads>>>(x, gamma, beta, y, cols, groups, channels_of_group, eps, x_stride, y_stride);
  return cudaGetLastError();
}
