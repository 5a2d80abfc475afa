// Who works on a row: some lanes of a warp, a block, or a cluster of blocks. The larger the team, the longer the rows that its registers
// hold, and the longer the way to a sum over all of them.
//
//   Tile<kLanes>   4 to 32 neighbouring lanes: shuffles alone. Several rows a warp.
//   Block          shuffles, then shared memory and a barrier.
//   Cluster        up to 16 blocks that run at the same time and reach each other's shared memory (compute capability 9.0 and newer). Each
//                  block reduces for itself, and what the blocks found is exchanged once: two numbers a block.
//
// A cluster costs about a microsecond for the exchange, which other rows on the same multiprocessor hide. Before 9.0 blocks cannot wait
// for each other within a kernel: there a long row takes two kernels, and is read twice.
#pragma once
#include <cuda_runtime.h>

#include "common/kernel/check.cuh"
#include "common/kernel/packs.cuh"
#include "common/kernel/reduce.cuh"

namespace warpbook::kernel {

/// kLanes neighbouring lanes. Every lane of the warp must arrive at reduce().
template <int kLanes>
struct Tile {
  __device__ __forceinline__ int rank() const { return threadIdx.x % kLanes; }
  __device__ __forceinline__ int size() const { return kLanes; }
  template <class Op>
  __device__ __forceinline__ float reduce(float value) const {
#pragma unroll
    for (int offset = kLanes / 2; offset > 0; offset /= 2) value = Op::combine(value, __shfl_xor_sync(kAllLanes, value, offset));
    return value;
  }
};

/// All threads of a block: a multiple of 32 up to 1024, in one dimension. One barrier a reduction: two sets of partial results take turns,
/// so that a fast warp may publish its next one while a slow one still reads the last.
class Block {
 public:
  using Partials = float[2][kMaxWarps];  // in shared memory
  __device__ __forceinline__ explicit Block(Partials& partials) : partials_(partials) {}
  __device__ __forceinline__ int rank() const { return threadIdx.x; }
  __device__ __forceinline__ int size() const { return blockDim.x; }
  template <class Op>
  __device__ __forceinline__ float reduce(float value) {
    const int lane = threadIdx.x % kWarpSize;
    float* partials = partials_[turn_];
    turn_ ^= 1;
    value = warp_reduce<Op>(value);
    if (lane == 0) partials[threadIdx.x / kWarpSize] = value;
    __syncthreads();
    return warp_reduce<Op>(lane < static_cast<int>(blockDim.x) / kWarpSize ? partials[lane] : Op::identity());
  }

 private:
  Partials& partials_;
  int turn_ = 0;
};

/// Packs [first, end) of part `index` of a row cut into `parts`, which may be empty: a block's, where several work on a row. The edges go
/// with the first.
struct Part {
  int index, first, end;

  __device__ __forceinline__ Part(int part, int parts, int packs) : index(part) {
    const int length = (packs - 1) / parts + 1;
    first = min(packs, index * length);
    end = min(packs, first + length);
  }
  __device__ __forceinline__ int edge() const { return index == 0 ? static_cast<int>(threadIdx.x) : kNoEdge; }
  /// This thread's.
  __device__ __forceinline__ Share share() const {
    return {first + static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), end, edge()};
  }
};

/// The smallest block that holds so many packs, `held` a thread.
inline int threads_for(int packs, int held) { return (packs - 1) / (held * kWarpSize) * kWarpSize + kWarpSize; }

constexpr int kPortableCluster = 8;  // what every device of 9.0 and newer runs
constexpr int kLargestCluster = 16;  // where the device has them and the kernel is marked for it

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define WARPBOOK_HAS_CLUSTERS 1

/// Which of the cluster's blocks this is, and how many there are.
__device__ __forceinline__ int cluster_rank() { return static_cast<int>(__clusterRelativeBlockRank()); }
__device__ __forceinline__ int cluster_size() { return static_cast<int>(__clusterSizeInBlocks()); }

/// An address in shared memory as PTX wants it.
__device__ __forceinline__ unsigned place(const void* shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }

/// Until the mbarrier has ended a phase of that parity.
__device__ __forceinline__ void wait_for(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred there;\n"
      "wait:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 there, [%0], %1;\n"
      "@!there bra wait;\n"
      "}\n" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

/// The blocks of a cluster tell each other what they found, two numbers a block, once a row. Each pushes its numbers to the others and
/// counts the bytes that it is to get on a barrier of its own (PTX ISA: st.async, mbarrier). Rejected: the cluster's barrier, which
/// waits until all that was stored before is there, the outputs of the last row among it. Two sets of places take turns, as in Block: a
/// barrier of the block must lie between two rows.
class Exchange {
 public:
  struct Storage {  // in shared memory
    float2 found[2][kLargestCluster];
    unsigned long long arrived[2];
  };
  /// First thing in a kernel.
  __device__ __forceinline__ explicit Exchange(Storage& storage) : storage_(storage) {
    if (threadIdx.x == 0) {
      for (unsigned long long& barrier : storage_.arrived)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place(&barrier)) : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __cluster_barrier_arrive();
  }
  /// Until all blocks run; once, before the first row's exchange. Loads may be on their way meanwhile.
  __device__ __forceinline__ void wait_for_all() const { __cluster_barrier_wait(); }
  /// What block `lane` found; `absent` in lanes beyond the cluster. `mine` is the same in all threads of the block.
  __device__ __forceinline__ float2 all(float2 mine, float2 absent) {
    const unsigned turn = row_ % 2, parity = row_ / 2 % 2;
    ++row_;
    float2* found = storage_.found[turn];
    const unsigned arrived = place(&storage_.arrived[turn]);
    const int size = cluster_size();
    if (threadIdx.x == 0) {
      const unsigned bytes = static_cast<unsigned>(size) * sizeof(float2);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(arrived), "r"(bytes) : "memory");
    }
    if (static_cast<int>(threadIdx.x) < size) {
      asm volatile(
          "{\n"
          ".reg .b32 there, barrier;\n"
          "mapa.shared::cluster.u32 there, %0, %2;\n"
          "mapa.shared::cluster.u32 barrier, %1, %2;\n"
          "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [there], {%3, %4}, [barrier];\n"
          "}\n" ::"r"(place(found + cluster_rank())),
          "r"(arrived), "r"(threadIdx.x), "f"(mine.x), "f"(mine.y)
          : "memory");
    }
    wait_for(arrived, parity);
    const int lane = threadIdx.x % kWarpSize;
    return lane < size ? found[lane] : absent;
  }

 private:
  Storage& storage_;
  unsigned row_ = 0;
};

/// Rows on their way into shared memory ahead of the one that is worked on, by the bulk copy engine: what waits there costs no registers.
/// kStages rows of kTensors tensors; `capacity` packs of each. One thread gives the orders, and all wait (PTX ISA: cp.async.bulk,
/// mbarrier).
template <int kStages, int kTensors>
class RowStream {
 public:
  struct Storage {  // in shared memory
    unsigned long long filled[kStages];
  };
  /// A barrier of the block must follow before wait(). `staged` is dynamic shared memory, [kStages, kTensors, capacity].
  __device__ __forceinline__ RowStream(Storage& storage, uint4* staged, int capacity)
      : storage_(storage), staged_(staged), capacity_(capacity) {
    if (threadIdx.x != 0) return;
    for (unsigned long long& barrier : storage_.filled)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place(&barrier)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }

  /// Orders row `index` of this block: `packs` packs from each of `from`. By one thread, after all have read row index - kStages.
  __device__ __forceinline__ void order(int index, const void* const (&from)[kTensors], int packs) const {
    const int stage = index % kStages;
    const unsigned filled = place(&storage_.filled[stage]), bytes = static_cast<unsigned>(packs) * sizeof(uint4);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(filled), "r"(bytes * kTensors) : "memory");
    if (packs == 0) return;
#pragma unroll
    for (int t = 0; t < kTensors; ++t) {
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place(row(index, t))),
                   "l"(__cvta_generic_to_global(from[t])), "r"(bytes), "r"(filled)
                   : "memory");
    }
  }

  /// Until row `index` is there.
  __device__ __forceinline__ void wait(int index) const { wait_for(place(&storage_.filled[index % kStages]), index / kStages % 2); }

  /// Where the packs of row `index` lie.
  __device__ __forceinline__ uint4* row(int index, int tensor = 0) const {
    return staged_ + (index % kStages * kTensors + tensor) * capacity_;
  }

 private:
  Storage& storage_;
  uint4* staged_;
  int capacity_;
};
#endif

/// Whether this device runs the code of `kernel` that was compiled for 9.0 or newer: machine code made from older PTX has no clusters in
/// it.
template <class Kernel>
inline bool runs_in_clusters(Kernel* kernel) {
  cudaFuncAttributes attributes{};
  if (cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess) return attributes.ptxVersion >= 90;
  (void)cudaGetLastError();
  return false;
}

/// How many blocks of so many threads the device runs at a time, at least 1; clusters may get some fewer.
template <class Kernel>
inline int resident_blocks(Kernel* kernel, int threads, size_t shared_bytes, int multiprocessors) {
  int each = 0;
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, shared_bytes) != cudaSuccess) (void)cudaGetLastError();
  return each > 0 ? each * multiprocessors : multiprocessors;
}

/// Launches `blocks` blocks in clusters of `cluster` (a power of two up to kLargestCluster, a divisor of `blocks`) on the default stream.
template <class... Parameters>
inline cudaError_t launch_in_clusters(void (*kernel)(Parameters...), int blocks, int threads, size_t shared_bytes, int cluster,
                                      Parameters... arguments) {
  if (cluster > kPortableCluster) {
    const cudaError_t status = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (status != cudaSuccess) return status;
  }
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = static_cast<unsigned>(cluster);
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

/// A kernel that works on rows one after another, each cut into parts for the blocks of a cluster, while later rows are on their way. Its
/// second parameter is how many packs a part has at most.
template <class Problem>
struct StreamingKernel {
  void (*kernel)(Problem, int);
  int held;     // packs a thread holds
  int threads;  // at most
  int waiting;  // parts that lie in shared memory: rows, each of all its tensors

  int most_packs() const { return held * threads; }
  /// With as many clusters as the device runs at a time.
  cudaError_t launch(const Problem& problem, int rows, int packs, int cluster, int multiprocessors) const {
    const int part = (packs - 1) / cluster + 1;
    const size_t bytes = static_cast<size_t>(kPackBytes) * waiting * part;
    WARPBOOK_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    const int resident = resident_blocks(kernel, threads_for(part, held), bytes, multiprocessors) / cluster;
    const int clusters = resident < 1 ? 1 : rows < resident ? rows : resident;
    return launch_in_clusters(kernel, clusters * cluster, threads_for(part, held), bytes, cluster, problem, part);
  }
};

/// Rows cut into parts within a kernel. Many rows that one or two blocks of `wide` hold go there: few blocks wait for each other, each of
/// many columns. Else as many blocks of `narrow` as there may be: few rows are done sooner that way, and what is too long for two blocks
/// goes faster by sixteen small ones than by four large ones. cudaErrorInvalidClusterSize: not on this device, or not so long a row.
template <class Problem>
inline cudaError_t launch_in_parts(const Problem& problem, int rows, int packs, const StreamingKernel<Problem>& wide,
                                   const StreamingKernel<Problem>& narrow, int multiprocessors) {
  if (packs > kLargestCluster * narrow.most_packs() || !runs_in_clusters(narrow.kernel)) return cudaErrorInvalidClusterSize;
  const bool goes_wide = rows > multiprocessors && packs <= 2 * wide.most_packs();
  const cudaError_t status = goes_wide ? wide.launch(problem, rows, packs, packs <= wide.most_packs() ? 1 : 2, multiprocessors)
                                       : narrow.launch(problem, rows, packs, kLargestCluster, multiprocessors);
  if (status == cudaErrorInvalidClusterSize) (void)cudaGetLastError();  // not every device has clusters of 16
  return status;
}

/// Into how many parts a row is cut where two kernels work on it: enough to give every multiprocessor two blocks, at most so many that one
/// lane of a warp reads what each part left.
inline int parts_for(int rows, int multiprocessors) {
  const int wanted = 2 * multiprocessors / rows;
  return wanted < 1 ? 1 : wanted > kWarpSize ? kWarpSize : wanted;
}

/// launch(scratch) with memory for `count` elements, which comes and goes in the order of the default stream: nothing waits for the
/// device.
template <class T, class Launch>
inline cudaError_t with_scratch(size_t count, Launch launch) {
  T* scratch = nullptr;
  WARPBOOK_TRY(cudaMallocAsync(&scratch, count * sizeof(T), 0));
  const cudaError_t status = launch(scratch);
  const cudaError_t freed = cudaFreeAsync(scratch, 0);
  return status != cudaSuccess ? status : freed;
}

}  // namespace warpbook::kernel
