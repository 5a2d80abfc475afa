// The reference solutions of the row problems, and the copies of `judge bench`, behind plain C names, for bench_rows.py: compiled together
// with their solution.cu and copies.cu into one shared library, with the default stream per thread, so that their launches can be captured
// into a graph.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

cudaError_t launch_softmax(const float*, float*, int, int, long long, long long);
cudaError_t launch_softmax_bf16(const __nv_bfloat16*, __nv_bfloat16*, int, int, long long, long long);
cudaError_t launch_layernorm(const float*, const float*, const float*, float*, int, int, long long, long long, float);
cudaError_t launch_layernorm_bf16(const __nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*, int, int, long long,
                                  long long, float);
cudaError_t launch_fused_add_rmsnorm(float*, float*, const float*, __nv_bfloat16*, __nv_bfloat16*, const __nv_bfloat16*, int, int, float,
                                     long long, long long, long long, long long);

extern "C" int warpbook_copy(void* const* arguments);  // copies.cu

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

/// The copy number `which` of copies.cu, of `bytes`, a multiple of 16.
int rows_copy(const void* from, void* to, unsigned long long bytes, int which) {
  void* const arguments[] = {&from, &to, &bytes, &which};
  return warpbook_copy(arguments);
}
}
