// What kernel files include, used once each: compiled in the tests (common/kernel/CMakeLists.txt), and a program of its own
// where there is a device: it reduces blocks of every size and prints how many were wrong.
#include <cstdio>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Max;
using warpbook::kernel::Sum;

/// Every thread brings its number and writes what it was given; one storage serves both calls.
__global__ void reduce_numbers(float* sum, float* largest) {  // [blockDim.x] each
  __shared__ float partials[kMaxWarps];
  const float mine = static_cast<float>(threadIdx.x);
  WATCH(mine);
  WATCH(sum);
  sum[threadIdx.x] = block_reduce<Sum>(mine, partials);
  largest[threadIdx.x] = block_reduce<Max>(-1.0f - mine, partials);
}

cudaError_t launch_reduce_numbers(float* sum, float* largest, int threads) {
  reduce_numbers<<<1, threads>>>(sum, largest);
  return warpbook::kernel::launch_status();
}

cudaError_t count_wrong(int* wrong) {
  constexpr int kMaxThreads = 1024;
  float* results = nullptr;
  WARPBOOK_TRY(cudaMallocManaged(&results, 2 * kMaxThreads * sizeof(float)));
  for (int threads = 32; threads <= kMaxThreads; threads += 32) {
    WARPBOOK_TRY(launch_reduce_numbers(results, results + kMaxThreads, threads));
    WARPBOOK_TRY(cudaDeviceSynchronize());
    const float sum = static_cast<float>(threads * (threads - 1) / 2);  // below 2^24: exact in any order
    for (int i = 0; i < threads; ++i) *wrong += results[i] != sum || results[kMaxThreads + i] != -1.0f;
  }
  *wrong += launch_reduce_numbers(results, results, kMaxThreads + 32) == cudaSuccess;
  *wrong += warpbook::kernel::launch_status() != cudaSuccess;  // asking once cleared it
  return cudaFree(results);
}

}  // namespace

int main() {
  int wrong = 0;
  const cudaError_t status = count_wrong(&wrong);
  std::printf("%s, %d wrong\n", cudaGetErrorString(status), wrong);
  return status == cudaSuccess && wrong == 0 ? 0 : 1;
}
