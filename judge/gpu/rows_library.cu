// The reference solutions of the row problems behind plain C names, for bench_rows.py: compiled together with their solution.cu into one
// shared library, with the default stream per thread, so that their launches can be captured into a graph.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

cudaError_t launch_softmax(const float*, float*, int, int, long long, long long);
cudaError_t launch_softmax_bf16(const __nv_bfloat16*, __nv_bfloat16*, int, int, long long, long long);
cudaError_t launch_layernorm(const float*, const float*, const float*, float*, int, int, long long, long long, float);
cudaError_t launch_layernorm_bf16(const __nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*, int, int, long long,
                                  long long, float);
cudaError_t launch_fused_add_rmsnorm(float*, float*, const float*, __nv_bfloat16*, __nv_bfloat16*, const __nv_bfloat16*, int, int, float,
                                     long long, long long, long long, long long);

namespace {

constexpr int kCopyThreads = 256;

/// `count` 16-byte words.
template <int kLoads>
__global__ void __launch_bounds__(kCopyThreads) copy_words(const uint4* __restrict__ from, uint4* __restrict__ to, size_t count) {
  const size_t first = static_cast<size_t>(blockIdx.x) * kCopyThreads * kLoads + threadIdx.x;
  uint4 held[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i)
    if (first + i * kCopyThreads < count) held[i] = from[first + i * kCopyThreads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i)
    if (first + i * kCopyThreads < count) to[first + i * kCopyThreads] = held[i];
}

template <int kLoads>
int copy(const void* from, void* to, size_t bytes) {
  const size_t words = bytes / sizeof(uint4);
  const size_t blocks = (words - 1) / (kCopyThreads * kLoads) + 1;
  copy_words<kLoads><<<static_cast<unsigned>(blocks), kCopyThreads>>>(static_cast<const uint4*>(from), static_cast<uint4*>(to), words);
  return cudaGetLastError();
}

}  // namespace

// Each returns a cudaError_t. Matrices are dense: row stride cols. `bf16` says of what type all tensors are.
extern "C" {

int rows_softmax(int bf16, const void* x, void* y, int rows, int cols) {
  if (bf16) return launch_softmax_bf16(static_cast<const __nv_bfloat16*>(x), static_cast<__nv_bfloat16*>(y), rows, cols, cols, cols);
  return launch_softmax(static_cast<const float*>(x), static_cast<float*>(y), rows, cols, cols, cols);
}

int rows_layernorm(int bf16, const void* x, const void* gamma, const void* beta, void* y, int rows, int cols, float eps) {
  using Half = __nv_bfloat16;
  if (bf16) {
    return launch_layernorm_bf16(static_cast<const Half*>(x), static_cast<const Half*>(gamma), static_cast<const Half*>(beta),
                                 static_cast<Half*>(y), rows, cols, cols, cols, eps);
  }
  return launch_layernorm(static_cast<const float*>(x), static_cast<const float*>(gamma), static_cast<const float*>(beta),
                          static_cast<float*>(y), rows, cols, cols, cols, eps);
}

int rows_fused_add_rmsnorm(int bf16, void* hidden, void* residual, const void* weight, int rows, int cols, float eps) {
  using Half = __nv_bfloat16;
  const bool single = bf16 == 0;
  return launch_fused_add_rmsnorm(single ? static_cast<float*>(hidden) : nullptr, single ? static_cast<float*>(residual) : nullptr,
                                  single ? static_cast<const float*>(weight) : nullptr, single ? nullptr : static_cast<Half*>(hidden),
                                  single ? nullptr : static_cast<Half*>(residual), single ? nullptr : static_cast<const Half*>(weight),
                                  rows, cols, eps, cols, cols, cols, cols);
}

/// Copies of `bytes`, a multiple of 16, by the runtime and by kernels with 1, 4 and 8 loads of 16 bytes on their way.
int rows_copy_runtime(const void* from, void* to, size_t bytes) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, cudaStreamPerThread);
}
int rows_copy_1(const void* from, void* to, size_t bytes) { return copy<1>(from, to, bytes); }
int rows_copy_4(const void* from, void* to, size_t bytes) { return copy<4>(from, to, bytes); }
int rows_copy_8(const void* from, void* to, size_t bytes) { return copy<8>(from, to, bytes); }
}
