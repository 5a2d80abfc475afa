// verdict: RTE
// reason: misaligned
// cases: odd-stride, misaligned
// mistake: a multiple of four pixels is taken to mean that every channel begins at a multiple of 16 bytes
// question: at which address does the second channel begin if channels lie 65 elements apart, and the first if the base is off by one?
// Four elements a load where a channel has a multiple of four pixels.
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
                                 int cols, int groups, int channels_of_group, int width, float eps, long long x_stride,
                                 long long y_stride) {
  __shared__ float partials[kMaxWarps];
  const int first_channel = static_cast<int>(blockIdx.x % groups) * channels_of_group;
  const long long first_row = static_cast<long long>(blockIdx.x) * channels_of_group;
  const int size = channels_of_group * cols;
  const auto place = [&](int i, long long stride) { return (first_row + i / cols) * stride + i % cols; };

  float sum = 0.0f;
  for (int i = threadIdx.x * width; i < size; i += kThreads * width) {
    const float* from = x + place(i, x_stride);
    const float4 v = width == 4 ? *reinterpret_cast<const float4*>(from) : make_float4(*from, 0.0f, 0.0f, 0.0f);
    sum += v.x + v.y + v.z + v.w;
  }
  const float mean = block_reduce<Sum>(sum, partials) / size;

  float squares = 0.0f;
  for (int i = threadIdx.x * width; i < size; i += kThreads * width) {
    const float* from = x + place(i, x_stride);
    const float4 v = width == 4 ? *reinterpret_cast<const float4*>(from) : make_float4(*from, mean, mean, mean);
    squares += (v.x - mean) * (v.x - mean) + (v.y - mean) * (v.y - mean) + (v.z - mean) * (v.z - mean) + (v.w - mean) * (v.w - mean);
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / size + eps);

  for (int i = threadIdx.x * width; i < size; i += kThreads * width) {
    const int channel = first_channel + i / cols;
    const float weight = gamma == nullptr ? 1.0f : gamma[channel];
    const float shift = beta == nullptr ? 0.0f : beta[channel];
    const auto normalised = [&](float value) { return (value - mean) * scale * weight + shift; };
    const float* from = x + place(i, x_stride);
    float* to = y + place(i, y_stride);
    if (width == 4) {
      const float4 v = *reinterpret_cast<const float4*>(from);
      *reinterpret_cast<float4*>(to) = make_float4(normalised(v.x), normalised(v.y), normalised(v.z), normalised(v.w));
    } else {
      *to = normalised(*from);
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
  const int width = cols % 4 == 0 ? 4 : 1;
  groupnorm_kernel<<<rows / channels_of_group, kThreads>>>(x, gamma, beta, y, cols, groups, channels_of_group, width, eps, x_stride,
                                                           y_stride);
  return cudaGetLastError();
}
