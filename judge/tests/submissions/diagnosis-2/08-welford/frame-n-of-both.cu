// mistake-of: both-empty
// LayerNorm by Welford's moments: y = (x - mean) / sqrt(variance + eps) * gamma + beta, one block a row.
//
// The idea: carry (count, mean, m2), where m2 is the sum of squared distances from that mean. One element updates the three, and two
// parts of a row merge into one (Chan's formula), so a single walk gives mean and variance, and only distances are ever squared:
// nothing large cancels. Against lesson 07 the row need not fit anywhere, against lesson 05 no digits are lost. Population variance
// (divide by cols), eps > 0 inside the root, |x| <= 1e15. Still bad: a division for each element and each merge, three shuffles a
// step, and the row is read a second time to write it.
//
// Run it: ./workbook run 08
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::kAllLanes;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::kWarpSize;

constexpr int kThreads = 256;  // a multiple of 32: every warp is whole

// region moments
/// A part of a row, told by three numbers. An empty part is {0, 0, 0}.
struct Moments {
  float count;  ///< elements; a float, exact up to 16,777,216
  float mean;   ///< of those elements
  float m2;     ///< sum of their squared distances from that mean
};

/// The part with one element more (Welford). The two factors of the last product are the distances from the old and the new mean.
__device__ Moments add(Moments part, float value) {
  part.count += 1.0f;
  const float delta = value - part.mean;
  part.mean += delta / part.count;
  part.m2 += delta * (value - part.mean);
  return part;
}
// endregion moments

// region merge
/// Parts a and b, which share no element, as one part (Chan). Either may be empty, and both may.
__device__ Moments merge(Moments a, Moments b) {
  // >>> blank merge: count, mean and m2 of both together, returned as Moments, about 6 lines
  const float n = a.count + b.count;
  const float gap = b.mean - a.mean;
  Moments both;
  both.count = n;
  both.mean = a.mean + gap * (b.count / n);
  both.m2 = a.m2 + b.m2 + gap * gap * a.count * (b.count / n);
  return both;
  // <<< blank merge
}
// endregion merge

// region reduce
/// The merge over a warp. Every lane ends with all 32 parts, but not with the same bits: partners compute merge(a, b) and merge(b, a).
__device__ Moments warp_merge(Moments part) {
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    const Moments other = {__shfl_xor_sync(kAllLanes, part.count, offset), __shfl_xor_sync(kAllLanes, part.mean, offset),
                           __shfl_xor_sync(kAllLanes, part.m2, offset)};
    part = merge(part, other);
  }
  return part;
}

/// The merge over the block, the same bits in every thread. Called once in a kernel: it has no closing barrier.
__device__ Moments block_merge(Moments part,
                               Moments* parts) {  // [kMaxWarps], shared memory
  const int lane = threadIdx.x % kWarpSize;
  const int warps = blockDim.x / kWarpSize;
  part = warp_merge(part);
  if (lane == 0) parts[threadIdx.x / kWarpSize] = part;
  __syncthreads();
  part = warp_merge(lane < warps ? parts[lane] : Moments{0.0f, 0.0f, 0.0f});
  // One lane's answer for all. Every warp collects the same parts in the same order, so lane 0 is the same everywhere.
  return {__shfl_sync(kAllLanes, part.count, 0), __shfl_sync(kAllLanes, part.mean, 0), __shfl_sync(kAllLanes, part.m2, 0)};
}
// endregion reduce

// region kernel
/// Block r normalises row r.
__global__ void layernorm_kernel(const float* __restrict__ x,      // [rows, cols], dense
                                 const float* __restrict__ gamma,  // [cols]
                                 const float* __restrict__ beta,   // [cols]
                                 float* __restrict__ y,            // [rows, cols], dense
                                 int cols, float eps) {
  __shared__ Moments parts[kMaxWarps];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;

  Moments mine = {0.0f, 0.0f, 0.0f};
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    mine = add(mine, x[offset + col]);
    WATCH(mine.mean);
    WATCH(mine.m2);
  }
  const Moments row = block_merge(mine, parts);
  const float scale = rsqrtf(row.m2 / cols + eps);
  WATCH(row.mean);
  WATCH(scale);

  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    y[offset + col] = (x[offset + col] - row.mean) * scale * gamma[col] + beta[col];
  }
}
// endregion kernel

}  // namespace

/// rows, cols >= 1.
cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  layernorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
