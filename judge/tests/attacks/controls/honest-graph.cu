// verdict: AC
// cases: heads
// control: graph
// bench: accepted
// Captured once; each later launch puts its own pointers and shape into the graph before it is launched.
#include <cuda_runtime.h>
#include <math.h>

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

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  static cudaGraph_t graph = nullptr;
  static cudaGraphExec_t exec = nullptr;
  static cudaGraphNode_t node = nullptr;
  void* arguments[] = {&x, &y, &cols, &x_stride, &y_stride};
  cudaKernelNodeParams launch = {};
  launch.func = reinterpret_cast<void*>(softmax_kernel);
  launch.gridDim = dim3(rows);
  launch.blockDim = dim3(kThreads);
  launch.kernelParams = arguments;
  cudaError_t status = cudaSuccess;
  if (exec == nullptr) {
    status = cudaGraphCreate(&graph, 0);
    if (status == cudaSuccess) status = cudaGraphAddKernelNode(&node, graph, nullptr, 0, &launch);
    if (status == cudaSuccess) status = cudaGraphInstantiate(&exec, graph, 0);
  } else {
    status = cudaGraphExecKernelNodeSetParams(exec, node, &launch);
  }
  return status == cudaSuccess ? cudaGraphLaunch(exec, nullptr) : status;
}
