// verdict: WA
// reason: value
// cases: heads, hidden-2880, thousand-and-one, one-column, many-short-rows, small-values, not-a-number, strided, thousand-and-four, no-weight, rows-far-apart
// mistake: the number of warps is rounded down: the last warp of the block, which has fewer than 32 threads, is left out of the sum
// question: how many warps does a block of 360 threads have?
// One thread for eight columns, so that a row of 2880 has a block of 360 threads; longer rows are walked by 1024. Every thread leaves its
// sum in shared memory, one lane of each warp adds up those of its warp, and thread 0 those of the warps.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

namespace {

constexpr int kMostThreads = 1024;

__device__ float widen(float v) { return v; }
__device__ float widen(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ void narrow(float v, float& out) { out = v; }
__device__ void narrow(float v, __nv_bfloat16& out) { out = __float2bfloat16_rn(v); }

template <class T>
__global__ void fused_kernel(T* hidden,        // [rows, cols], row stride hidden_stride
                             T* residual,      // [rows, cols], row stride residual_stride
                             const T* weight,  // [cols] or null
                             int cols, float eps, long long hidden_stride, long long residual_stride) {
  __shared__ float partials[kMostThreads];
  __shared__ float shared_scale;
  T* h = hidden + blockIdx.x * hidden_stride;
  T* r = residual + blockIdx.x * residual_stride;
  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    narrow(widen(r[col]) + widen(h[col]), r[col]);
    squares += widen(r[col]) * widen(r[col]);
  }
  partials[threadIdx.x] = squares;
  __syncthreads();

  const int warps = blockDim.x / 32;
  const int first = threadIdx.x / 32 * 32;
  if (threadIdx.x == first) {
    for (int i = first + 1; i < min(first + 32, static_cast<int>(blockDim.x)); ++i) squares += partials[i];
    partials[first] = squares;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int warp = 0; warp < warps; ++warp) total += partials[32 * warp];
    shared_scale = rsqrtf(total / cols + eps);
  }
  __syncthreads();
  const float scale = shared_scale;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    const float w = weight == nullptr ? 1.0f : widen(weight[col]);
    narrow(widen(r[col]) * scale * w, h[col]);
  }
}

template <class T>
cudaError_t launch(T* hidden, T* residual, const T* weight, int rows, int cols, float eps, long long hidden_stride,
                   long long residual_stride) {
  if (hidden == nullptr || rows == 0) return cudaSuccess;
  const int wanted = (cols + 7) / 8;
  const int threads = wanted < kMostThreads ? wanted : kMostThreads;
  fused_kernel<<<rows, threads>>>(hidden, residual, weight, cols, eps, hidden_stride, residual_stride);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_fused_add_rmsnorm(float* hidden,                     // [rows, cols], row stride hidden_stride
                                     float* residual,                   // [rows, cols], row stride residual_stride
                                     const float* weight,               // [cols] or null
                                     __nv_bfloat16* hidden_bf16,        // [rows, cols], row stride hidden_bf16_stride
                                     __nv_bfloat16* residual_bf16,      // [rows, cols], row stride residual_bf16_stride
                                     const __nv_bfloat16* weight_bf16,  // [cols] or null
                                     int rows, int cols, float eps, long long hidden_stride, long long residual_stride,
                                     long long hidden_bf16_stride, long long residual_bf16_stride) {
  const cudaError_t status = launch(hidden, residual, weight, rows, cols, eps, hidden_stride, residual_stride);
  if (status != cudaSuccess) return status;
  return launch(hidden_bf16, residual_bf16, weight_bf16, rows, cols, eps, hidden_bf16_stride, residual_bf16_stride);
}
