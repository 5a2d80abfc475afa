// verdict: WA
// reason: value
// cases: past-registers, very-long
// mistake: the mean of the chunks is taken without their numbers of elements: a last chunk of 17 counts as much as one of 4096
// question: how many elements has the last chunk, and how much does its mean weigh?
// Chunks of 4096 elements, a block each; every thread of the second kernel merges the moments of its group.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;
constexpr int kChunk = 4096;  // elements of a group that a block takes; the last chunk has what is left

struct Moments {
  float mean;
  float squares;  // sum of squared distances from that mean
};

/// Block (group, c) measures chunk c in two walks.
__global__ void measure_chunks(const float* x,    // [rows, cols], row stride x_stride
                               Moments* moments,  // [groups of the batch, chunks]
                               int cols, int channels_of_group, long long x_stride) {
  __shared__ float partials[kMaxWarps];
  const long long first_row = static_cast<long long>(blockIdx.x) * channels_of_group;
  const int first = blockIdx.y * kChunk;
  const int last = min(channels_of_group * cols, first + kChunk);
  const auto value = [&](int i) { return x[(first_row + i / cols) * x_stride + i % cols]; };
  float sum = 0.0f;
  for (int i = first + threadIdx.x; i < last; i += kThreads) sum += value(i);
  const float mean = block_reduce<Sum>(sum, partials) / (last - first);
  float squares = 0.0f;
  for (int i = first + threadIdx.x; i < last; i += kThreads) squares += (value(i) - mean) * (value(i) - mean);
  squares = block_reduce<Sum>(squares, partials);
  if (threadIdx.x == 0) moments[blockIdx.x * gridDim.y + blockIdx.y] = {mean, squares};
}

/// Block (group, c) merges the chunks of its group and writes chunk c.
__global__ void normalise_chunks(const float* x,          // [rows, cols], row stride x_stride
                                 const float* gamma,      // [channels] or null
                                 const float* beta,       // [channels] or null
                                 float* y,                // [rows, cols], row stride y_stride; may be x
                                 const Moments* moments,  // [groups of the batch, chunks]
                                 int cols, int groups, int channels_of_group, float eps, long long x_stride, long long y_stride) {
  const int chunks = gridDim.y;
  const int first = blockIdx.y * kChunk;
  const int size = channels_of_group * cols;
  const Moments* of_group = moments + blockIdx.x * chunks;
  float mean = 0.0f;
  for (int c = 0; c < chunks; ++c) mean += of_group[c].mean / chunks;
  float squares = 0.0f;
  for (int c = 0; c < chunks; ++c) {
    const float away = of_group[c].mean - mean;
    squares += of_group[c].squares + away * away * min(kChunk, size - c * kChunk);
  }
  const float scale = rsqrtf(squares / size + eps);

  const int first_channel = static_cast<int>(blockIdx.x % groups) * channels_of_group;
  const long long first_row = static_cast<long long>(blockIdx.x) * channels_of_group;
  for (int i = first + threadIdx.x; i < min(size, first + kChunk); i += kThreads) {
    const float weight = gamma == nullptr ? 1.0f : gamma[first_channel + i / cols];
    const float shift = beta == nullptr ? 0.0f : beta[first_channel + i / cols];
    const float v = x[(first_row + i / cols) * x_stride + i % cols];
    y[(first_row + i / cols) * y_stride + i % cols] = (v - mean) * scale * weight + shift;
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
  const int all = rows / channels_of_group;
  const dim3 grid(all, (channels_of_group * cols - 1) / kChunk + 1);
  Moments* moments = nullptr;  // [all, chunks]
  cudaError_t status = cudaMallocAsync(&moments, sizeof(Moments) * all * grid.y, nullptr);
  if (status != cudaSuccess) return status;
  measure_chunks<<<grid, kThreads>>>(x, moments, cols, channels_of_group, x_stride);
  status = cudaGetLastError();
  if (status == cudaSuccess) {
    normalise_chunks<<<grid, kThreads>>>(x, gamma, beta, y, moments, cols, groups, channels_of_group, eps, x_stride, y_stride);
    status = cudaGetLastError();
  }
  const cudaError_t freed = cudaFreeAsync(moments, nullptr);
  return status != cudaSuccess ? status : freed;
}
