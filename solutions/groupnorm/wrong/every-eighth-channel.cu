// verdict: WA
// reason: value, not-finite
// cases: late-layer, early-layer, three-of-twelve, one-pixel, own-affine, channel-means, small-values, strided, odd-stride, misaligned, in-place, no-beta, no-gamma, not-a-number, channels-far-apart
// mistake: channels are dealt out to the groups one by one, as c % G, where the contract gives each group neighbours
// question: which channels are in group 0 if 32 channels make 8 groups?
// A block a group in three walks, one loop over the elements of the group.
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
  const long long image = blockIdx.x / groups;
  const int group = blockIdx.x % groups;
  const int size = channels_of_group * cols;
  const auto channel_of = [&](int i) { return group + i / cols * groups; };
  const auto place = [&](int i, long long stride) { return (image * channels_of_group * groups + channel_of(i)) * stride + i % cols; };

  float sum = 0.0f;
  for (int i = threadIdx.x; i < size; i += kThreads) sum += x[place(i, x_stride)];
  const float mean = block_reduce<Sum>(sum, partials) / size;

  float squares = 0.0f;
  for (int i = threadIdx.x; i < size; i += kThreads) {
    const float distance = x[place(i, x_stride)] - mean;
    squares += distance * distance;
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / size + eps);

  for (int i = threadIdx.x; i < size; i += kThreads) {
    const int channel = channel_of(i);
    const float weight = gamma == nullptr ? 1.0f : gamma[channel];
    const float shift = beta == nullptr ? 0.0f : beta[channel];
    y[place(i, y_stride)] = (x[place(i, x_stride)] - mean) * scale * weight + shift;
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
