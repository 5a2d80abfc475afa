// verdict: RTE
// reason: race
// cases: in-place
// mistake: each channel measures its group again, while blocks of other channels already overwrite it if y is x
// question: who may still read a channel when its block begins to write it?
// A block a channel: it walks the whole group twice for its moments and then writes its own pixels. Many blocks, and no second kernel.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 128;

__global__ void groupnorm_kernel(const float* x,      // [rows, cols], row stride x_stride
                                 const float* gamma,  // [channels] or null
                                 const float* beta,   // [channels] or null
                                 float* y,            // [rows, cols], row stride y_stride; may be x
                                 int cols, int channels, int channels_of_group, float eps, long long x_stride, long long y_stride) {
  __shared__ float partials[kMaxWarps];
  const long long row = blockIdx.x;
  const long long first_row = row / channels_of_group * channels_of_group;
  const int channel = static_cast<int>(row % channels);
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

  const float weight = gamma == nullptr ? 1.0f : gamma[channel];
  const float shift = beta == nullptr ? 0.0f : beta[channel];
  for (int i = threadIdx.x; i < cols; i += kThreads) y[row * y_stride + i] = (x[row * x_stride + i] - mean) * scale * weight + shift;
}

}  // namespace

cudaError_t launch_groupnorm(const float* x,      // [rows, cols], row stride x_stride
                             const float* gamma,  // [channels] or null
                             const float* beta,   // [channels] or null
                             float* y,            // [rows, cols], row stride y_stride; may be x
                             int rows, int cols, int channels, int groups, float eps, long long x_stride, long long y_stride) {
  if (rows == 0) return cudaSuccess;
  groupnorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, cols, channels, channels / groups, eps, x_stride, y_stride);
  return cudaGetLastError();
}
