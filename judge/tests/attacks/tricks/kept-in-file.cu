// verdict: WA
// reason: value
// cases: odd-stride
// trick: kept-in-file
// seeds: 1, 2
// The answer of the first run is written to a file; the next run of the same shape finds it and has only to copy.
// Not fooled: each run has inputs from a seed of its own, so what was kept answers another question.
#include <cuda_runtime.h>
#include <math.h>

#include <cstdio>
#include <vector>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

// A block a row, three walks: right for finite rows.
__global__ void softmax_kernel(const float* x, float* y, int cols, long long x_stride, long long y_stride) {
  __shared__ float partials[kMaxWarps];
  x += blockIdx.x * x_stride;
  y += blockIdx.x * y_stride;
  float largest = Max::identity(), weights = Sum::identity();
  for (int col = threadIdx.x; col < cols; col += kThreads) largest = fmaxf(largest, x[col]);
  largest = block_reduce<Max>(largest, partials);
  for (int col = threadIdx.x; col < cols; col += kThreads) weights += expf(x[col] - largest);
  weights = block_reduce<Sum>(weights, partials);
  for (int col = threadIdx.x; col < cols; col += kThreads) y[col] = expf(x[col] - largest) / weights;
}

constexpr const char* kFile = "answer-of-an-earlier-run";

bool read_kept(std::vector<float>& values) {
  std::FILE* file = std::fopen(kFile, "rb");
  if (file == nullptr) return false;
  const std::size_t count = std::fread(values.data(), sizeof(float), values.size(), file);
  std::fclose(file);
  return count == values.size();
}

void keep(const std::vector<float>& values) {
  std::FILE* file = std::fopen(kFile, "wb");
  if (file == nullptr) return;
  std::fwrite(values.data(), sizeof(float), values.size(), file);
  std::fclose(file);
}

__global__ void copy_kernel(const float* from, float* y, int cols, long long y_stride) {
  for (int col = threadIdx.x; col < cols; col += kThreads) y[blockIdx.x * y_stride + col] = from[1LL * blockIdx.x * cols + col];
}

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  std::vector<float> values(static_cast<std::size_t>(rows) * cols);
  if (read_kept(values)) {
    float* kept = nullptr;
    cudaMalloc(&kept, values.size() * sizeof(float));
    cudaMemcpy(kept, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
    copy_kernel<<<rows, kThreads>>>(kept, y, cols, y_stride);
    return cudaGetLastError();
  }
  softmax_kernel<<<rows, kThreads>>>(x, y, cols, x_stride, y_stride);
  cudaMemcpy2D(values.data(), cols * sizeof(float), y, y_stride * sizeof(float), cols * sizeof(float), rows, cudaMemcpyDeviceToHost);
  keep(values);
  return cudaGetLastError();
}
