// What a kernel's time is held against: copies of as many bytes as the kernel must move, half of them read and half written. Which way of
// copying is fastest depends on the size and on the GPU, so several are measured in the same run and the best one is the ceiling: a poor
// copy flatters nobody.
//
// The judge compiles this file as it compiles a submission (judge/gpu/copies.cpp) and launches it as it launches one, by the function at
// the end. `which` numbers are those of `CopyKind` in judge/gpu/copies.hpp.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace {

constexpr int kThreads = 256;

// ---- nothing: what a launch itself takes ----

__global__ void nothing() {}

// ---- one float a thread and turn ----

__global__ void copy_scalar(const float* __restrict__ from, float* __restrict__ to, std::size_t count) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) to[i] = from[i];
}

// ---- 16 bytes a load, kLoads of them on their way before the first is stored ----

template <int kLoads, bool kStreaming>
__global__ void copy_vectors(const float4* __restrict__ from, float4* __restrict__ to, std::size_t count) {
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * kLoads + threadIdx.x;
  float4 held[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    const std::size_t at = first + std::size_t{static_cast<unsigned>(i)} * blockDim.x;
    if (at < count) held[i] = kStreaming ? __ldcs(from + at) : from[at];
  }
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    const std::size_t at = first + std::size_t{static_cast<unsigned>(i)} * blockDim.x;
    if (at >= count) continue;
    if (kStreaming) __stcs(to + at, held[i]);
    else to[at] = held[i];
  }
}

// ---- the bulk copy engine (compute capability 9.0): one thread asks for whole chunks, through shared memory and out again ----

constexpr int kStages = 4;
constexpr unsigned kLargestChunk = 16u << 10;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
__device__ unsigned shared_address(const void* at) { return static_cast<unsigned>(__cvta_generic_to_shared(at)); }

__device__ void load_chunk(char* to, const char* from, unsigned bytes, std::uint64_t* arrived) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(arrived)), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(arrived))
               : "memory");
}

__device__ void wait_for(std::uint64_t* arrived, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}" ::"r"(shared_address(arrived)),
      "r"(parity)
      : "memory");
}

__device__ void store_chunk(char* to, const char* from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
#endif

__global__ void copy_bulk(const char* __restrict__ from, char* __restrict__ to, std::size_t bytes, unsigned chunk) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) char stages[];
  __shared__ std::uint64_t arrived[kStages];
  if (threadIdx.x != 0) return;
  for (std::uint64_t& barrier : arrived) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  const std::size_t stride = std::size_t{gridDim.x} * chunk;
  const auto bytes_at = [&](std::size_t at) { return static_cast<unsigned>(bytes - at < chunk ? bytes - at : chunk); };
  std::size_t loading = std::size_t{blockIdx.x} * chunk;  // the next chunk to ask for
  for (int s = 0; s < kStages && loading < bytes; ++s, loading += stride)
    load_chunk(stages + s * chunk, from + loading, bytes_at(loading), arrived + s);
  unsigned turn = 0;
  for (std::size_t at = std::size_t{blockIdx.x} * chunk; at < bytes; at += stride, ++turn) {
    const unsigned s = turn % kStages;
    wait_for(arrived + s, turn / kStages % 2);
    store_chunk(to + at, stages + s * chunk, bytes_at(at));
    if (turn == 0 || loading >= bytes) continue;
    // The chunk before this one has left its stage once all but the newest store have been read.
    asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
    const unsigned freed = (turn - 1) % kStages;
    load_chunk(stages + freed * chunk, from + loading, bytes_at(loading), arrived + freed);
    loading += stride;
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
}

/// Whether the code that runs here was compiled for the bulk copy engine. (A driver may also have made it from older PTX, without.)
bool has_bulk_copies() {
  cudaFuncAttributes attributes{};
  constexpr int kFirst = 90;
  return cudaFuncGetAttributes(&attributes, copy_bulk) == cudaSuccess && attributes.ptxVersion >= kFirst;
}

int multiprocessors() {
  static const int count = [] {
    int device = 0, found = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&found, cudaDevAttrMultiProcessorCount, device);
    return found > 0 ? found : 1;
  }();
  return count;
}

cudaError_t launch_scalar(const void* from, void* to, std::size_t bytes) {
  const std::size_t count = bytes / sizeof(float), blocks = (count + kThreads - 1) / kThreads;
  copy_scalar<<<static_cast<unsigned>(blocks), kThreads>>>(static_cast<const float*>(from), static_cast<float*>(to), count);
  return cudaGetLastError();
}

template <int kLoads, bool kStreaming>
cudaError_t launch_vectors(const void* from, void* to, std::size_t bytes) {
  const std::size_t count = bytes / sizeof(float4), a_block = std::size_t{kThreads} * kLoads;
  const auto blocks = static_cast<unsigned>((count + a_block - 1) / a_block);
  copy_vectors<kLoads, kStreaming><<<blocks, kThreads>>>(static_cast<const float4*>(from), static_cast<float4*>(to), count);
  return cudaGetLastError();
}

cudaError_t launch_bulk(const void* from, void* to, std::size_t bytes) {
  static const bool there = has_bulk_copies();
  if (!there) return cudaErrorNotSupported;
  constexpr unsigned kSmallestChunk = 1u << 10;
  const auto blocks = static_cast<unsigned>(3 * multiprocessors());
  // Small matters are cut into so many pieces that every block has some.
  unsigned chunk = kLargestChunk;
  while (chunk > kSmallestChunk && std::size_t{chunk} * blocks * 2 > bytes) chunk /= 2;
  static const cudaError_t asked = cudaFuncSetAttribute(copy_bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, kStages * kLargestChunk);
  if (asked != cudaSuccess) return asked;
  copy_bulk<<<blocks, 32, kStages * chunk>>>(static_cast<const char*>(from), static_cast<char*>(to), bytes, chunk);
  return cudaGetLastError();
}

}  // namespace

/// arguments: from, to (16-byte aligned), bytes (64 bits, a multiple of 16), which (int).
extern "C" __attribute__((visibility("default"))) int warpbook_copy(void* const* arguments) {
  const void* from = *static_cast<const void**>(arguments[0]);
  void* to = *static_cast<void**>(arguments[1]);
  const auto bytes = static_cast<std::size_t>(*static_cast<const std::uint64_t*>(arguments[2]));
  switch (*static_cast<const int*>(arguments[3])) {
    case 0: nothing<<<1, 1>>>(); return cudaGetLastError();
    case 1: return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, nullptr);
    case 2: return launch_scalar(from, to, bytes);
    case 3: return launch_vectors<4, false>(from, to, bytes);
    case 4: return launch_vectors<8, false>(from, to, bytes);
    case 5: return launch_vectors<4, true>(from, to, bytes);
    case 6: return launch_bulk(from, to, bytes);
    default: return cudaErrorInvalidValue;
  }
}
