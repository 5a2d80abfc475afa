// mistake-of: gamma-by-vector
#include <cuda_runtime.h>
#include <stdint.h>

namespace {

constexpr int kThreads = 128;
constexpr int kRowCapacity = 8192;

// tree in shared memory, result for everybody
__device__ float total_of(float value, float* tree) {
  tree[threadIdx.x] = value;
  __syncthreads();
  for (int s = kThreads / 2; s >= 1; s >>= 1) {
    if (threadIdx.x < s) tree[threadIdx.x] += tree[threadIdx.x + s];
    __syncthreads();
  }
  const float all = tree[0];
  __syncthreads();
  return all;
}

__global__ void layernorm_tree(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
                               float* __restrict__ y, int cols, long long x_stride, long long y_stride, float eps, bool by_vector) {
  __shared__ float tree[kThreads];
  __shared__ __align__(16) float row[kRowCapacity];
  x += blockIdx.x * x_stride;
  y += blockIdx.x * y_stride;
  const int vectors = by_vector ? cols / 4 : 0;

  // fill the row, vectors first
  for (int i = threadIdx.x; i < vectors; i += kThreads)
    *reinterpret_cast<float4*>(row + 4 * i) = *reinterpret_cast<const float4*>(x + 4 * i);
  for (int c = 4 * vectors + threadIdx.x; c < cols; c += kThreads) row[c] = x[c];
  __syncthreads();

  // the sums take the row float by float
  float part = 0.0f;
  for (int c = threadIdx.x; c < cols; c += kThreads) part += row[c];
  const float mean = total_of(part, tree) / cols;
  part = 0.0f;
  for (int c = threadIdx.x; c < cols; c += kThreads) part += (row[c] - mean) * (row[c] - mean);
  const float scale = rsqrtf(total_of(part, tree) / cols + eps);

  for (int i = threadIdx.x; i < vectors; i += kThreads) {
    float4 v = *reinterpret_cast<const float4*>(row + 4 * i);
    const float g = gamma[i];
    const float b = beta[i];
    v.x = (v.x - mean) * scale * g + b;
    v.y = (v.y - mean) * scale * g + b;
    v.z = (v.z - mean) * scale * g + b;
    v.w = (v.w - mean) * scale * g + b;
    *reinterpret_cast<float4*>(y + 4 * i) = v;
  }
  for (int c = 4 * vectors + threadIdx.x; c < cols; c += kThreads) y[c] = (row[c] - mean) * scale * gamma[c] + beta[c];
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, long long x_stride,
                             long long y_stride, float eps) {
  if (cols > kRowCapacity) return cudaErrorInvalidValue;
  const uintptr_t places = reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(gamma) | reinterpret_cast<uintptr_t>(beta) |
                           reinterpret_cast<uintptr_t>(y);
  const bool by_vector = places % 16 == 0 && (x_stride | y_stride) % 4 == 0;
  layernorm_tree<<<rows, kThreads>>>(x, gamma, beta, y, cols, x_stride, y_stride, eps, by_vector);
  return cudaGetLastError();
}
