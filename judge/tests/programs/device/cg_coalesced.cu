// Cooperative groups, groups known only at run time: the lanes that took a branch together, and lanes that share a label.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

// Stream compaction with one atomic per coalesced group: the positive values of `in` land in `out` in any order.
extern "C" __global__ void cg_coalesced(const int* in, int n, int* out, int* count, int* label_sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) {
    const cg::coalesced_group active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0) base = atomicAdd(count, static_cast<int>(active.size()));
    base = active.shfl(base, 0);
    out[base + active.thread_rank()] = in[i];
  }
  if (i < n) {
    const cg::coalesced_group active = cg::coalesced_threads();
    const int label = i % 3;
    const auto peers = cg::labeled_partition(active, label);
    const int sum = cg::reduce(peers, in[i], cg::plus<int>());
    if (peers.thread_rank() == 0) atomicAdd(&label_sums[label], sum);
  }
}
