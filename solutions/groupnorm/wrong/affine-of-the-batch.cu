// verdict: RTE
// reason: out-of-bounds
// cases: late-layer, three-of-twelve, each-by-itself, whole-images, one-pixel, one-element, many-groups, own-affine, channel-means, strided, in-place, not-a-number
// mistake: gamma and beta are read by the row of the batch, and from the second image on there are none
// question: which channel is row C of the batch?
// A block a group in three walks.
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
                                 int cols, int channels_of_group, float eps, long long x_stride, long long y_stride) {
  __shared__ float partials[kMaxWarps];
  const long long first_row = static_cast<long long>(blockIdx.x) * channels_of_group;
  const int size = channels_of_group * cols;
  const auto place = [&](int i, long long stride) { return (first_row + i / cols) * stride + i % cols; };

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
    const long long channel = first_row + i / cols;
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
  groupnorm_kernel<<<rows / channels_of_group, kThreads>>>(x, gamma, beta, y, cols, channels_of_group, eps, x_stride, y_stride);
  return cudaGetLastError();
}
