// verdict: WA
// reason: unwritten
// cases: latents, past-registers, very-long
// mistake: elements beyond what the registers of a block hold are neither counted nor written
// question: how many elements may a group have before your registers are full, and what happens to the rest?
// A block a group, 16 elements of it in the registers of each of 1024 threads.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 1024;
constexpr int kHeld = 16;

__global__ void __launch_bounds__(kThreads)
    groupnorm_kernel(const float* x,      // [rows, cols], row stride x_stride
                     const float* gamma,  // [channels] or null
                     const float* beta,   // [channels] or null
                     float* y,            // [rows, cols], row stride y_stride; may be x
                     int cols, int groups, int channels_of_group, float eps, long long x_stride, long long y_stride) {
  __shared__ float partials[kMaxWarps];
  const int first_channel = static_cast<int>(blockIdx.x % groups) * channels_of_group;
  const long long first_row = static_cast<long long>(blockIdx.x) * channels_of_group;
  const int size = channels_of_group * cols;
  const auto place = [&](int i, long long stride) { return (first_row + i / cols) * stride + i % cols; };

  float held[kHeld];
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < kHeld; ++k) {
    const int i = threadIdx.x + k * kThreads;
    held[k] = i < size ? x[place(i, x_stride)] : 0.0f;
    sum += held[k];
  }
  const float mean = block_reduce<Sum>(sum, partials) / size;

  float squares = 0.0f;
#pragma unroll
  for (int k = 0; k < kHeld; ++k) {
    if (threadIdx.x + k * kThreads < size) squares += (held[k] - mean) * (held[k] - mean);
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / size + eps);

  const auto write = [&](int i, float v) {
    const int channel = first_channel + i / cols;
    const float weight = gamma == nullptr ? 1.0f : gamma[channel];
    const float shift = beta == nullptr ? 0.0f : beta[channel];
    y[place(i, y_stride)] = (v - mean) * scale * weight + shift;
  };
#pragma unroll
  for (int k = 0; k < kHeld; ++k) {
    if (const int i = threadIdx.x + k * kThreads; i < size) write(i, held[k]);
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
