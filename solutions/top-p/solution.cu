// Top-p (nucleus) sampling from rows of logits of any length and any stride: of the tokens in falling order of their logits the fewest
// whose probability reaches p, and of those the one at which the running sum passes u.
//
// The idea: nothing is sorted. The tokens kept are all above some logit, and some of those equal to it; the token drawn is found
// at another. Both are the same question: at which logit does the sum of weights from the largest down reach a mark? The sum
// above a pivot falls as the pivot rises, so halving finds it, and every round moves both ends of the interval to logits that exist:
// it is over when one is left, after about as many rounds as the number of tokens has bits. Equal logits are told apart at the end, by
// counting columns.
//
//   cols                                  path           where the row waits   reads of the logits
//   up to 1024                            a warp a row   shared memory         1
//   up to 57,952 (41,568 before cap. 9.0) a block a row  shared memory         1
//   longer                                a block a row  nowhere               1 + 1 a round, from the second cache mostly
//
// Sums are taken in an order that depends on the path alone, so the same row draws the same token in every run: no atomics.
//
// Contract: rows >= 0, cols >= 1; the stride in elements, at least cols; no alignment is assumed. NaN and -inf are never drawn; a row
// without any other logit gives token -1 and kept 0. p >= 1 keeps every token, p <= 0 one. kept may be absent. |x| up to 1e6.
//
// Still bad: one block for a row of 152,064 logits, and a round costs two barriers however few logits are left between its ends. Those
// few could be gathered, and one warp would finish.
//
// Run it: ./workbook run top-p --solution
#include <cuda_runtime.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>

#include "common/kernel/check.cuh"
#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::kAllLanes;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::kWarpSize;

constexpr float kFarBelow = 110.0f;  // exp(-110) is 0 in float: what lies so far below the maximum adds nothing to any sum

/// Rows to draw from.
struct Batch {
  const float* logits;   // [rows, cols], row stride logits_stride
  const float* uniform;  // [rows]
  int* token;            // [rows]
  int* kept;             // [rows], or null
  int rows, cols;
  float p;
  long long logits_stride;  // 64 bits: row * stride passes 2^31 long before memory ends
};

// region tally
/// What one walk learns about a pivot: of the logits above it their number and the sum of exp(logit - max), and the logits next to it.
struct Tally {
  float sum;
  int count;
  float least_above;     // inf if there is none
  float most_not_above;  // -inf if there is none
};

__device__ __forceinline__ Tally nothing() { return {0.0f, 0, INFINITY, -INFINITY}; }

__device__ __forceinline__ Tally joined(Tally a, Tally b) {
  return {a.sum + b.sum, a.count + b.count, fminf(a.least_above, b.least_above), fmaxf(a.most_not_above, b.most_not_above)};
}

__device__ __forceinline__ Tally of_warp(Tally mine) {
#pragma unroll
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    mine = joined(mine, {__shfl_xor_sync(kAllLanes, mine.sum, offset), __shfl_xor_sync(kAllLanes, mine.count, offset),
                         __shfl_xor_sync(kAllLanes, mine.least_above, offset), __shfl_xor_sync(kAllLanes, mine.most_not_above, offset)});
  }
  return mine;
}
// endregion tally

// region teams
/// The threads that work on one row. A warp needs no memory to agree; a block needs a place for each of its warps.
struct WarpTeam {
  __device__ int thread() const { return threadIdx.x % kWarpSize; }
  __device__ int threads() const { return kWarpSize; }
  __device__ int warp() const { return 0; }
  __device__ int warps() const { return 1; }
  __device__ void meet() const { __syncwarp(); }
  __device__ Tally together(Tally mine) const { return of_warp(mine); }
};

struct BlockTeam {
  Tally* partials;  // [kMaxWarps], shared memory

  __device__ int thread() const { return threadIdx.x; }
  __device__ int threads() const { return blockDim.x; }
  __device__ int warp() const { return threadIdx.x / kWarpSize; }
  __device__ int warps() const { return blockDim.x / kWarpSize; }
  __device__ void meet() const { __syncthreads(); }
  __device__ Tally together(Tally mine) const {
    const int lane = threadIdx.x % kWarpSize;
    mine = of_warp(mine);
    if (lane == 0) partials[warp()] = mine;
    __syncthreads();
    mine = of_warp(lane < warps() ? partials[lane] : nothing());
    __syncthreads();  // the next round writes partials again
    return mine;
  }
};
// endregion teams

// region search
/// One walk over the row. NaN fails both tests and -inf changes nothing, so neither is ever counted.
template <class Team>
__device__ Tally tally(const Team& team, const float* row, int cols, float pivot, float max) {
  Tally mine = nothing();
  for (int col = team.thread(); col < cols; col += team.threads()) {
    const float logit = row[col];
    if (logit > pivot) {
      mine.sum += expf(logit - max);
      mine.count += 1;
      mine.least_above = fminf(mine.least_above, logit);
    } else if (logit <= pivot) {
      mine.most_not_above = fmaxf(mine.most_not_above, logit);
    }
  }
  return team.together(mine);
}

/// A logit of the row, and what stands above it.
struct Place {
  float logit;
  float sum;  // of the weights above
  int count;  // of the tokens above
};

/// The least logit of [low, high], both logits of the row, such that the sum above it has not reached the mark; where `passes`, has
/// not passed it. The sum above `high` counts as not there yet.
template <class Team>
__device__ Place find(const Team& team, const float* row, int cols, float low, float high, float max, float mark, bool passes) {
  Place place = {high, 0.0f, 0};
  while (low < place.logit) {
    float pivot = low + 0.5f * (place.logit - low);
    if (!(pivot < place.logit)) pivot = low;  // neighbours
    const Tally t = tally(team, row, cols, pivot, max);
    const bool short_of = passes ? t.sum <= mark : t.sum < mark;
    WATCH(pivot);
    WATCH(t.sum);
    if (short_of) {
      place = {t.most_not_above, t.sum, t.count};
    } else {
      low = t.least_above;
    }
  }
  return place;
}
// endregion search

// region ties
/// How many of `each` it takes, beginning with none, to bring `sum` to the mark, or past it; from 1 to `most`.
__device__ int needed(float sum, float each, float mark, bool passes, int most) {
  const float ratio = (mark - sum) / each;
  const float steps = passes ? floorf(ratio) + 1.0f : ceilf(ratio);
  return steps >= static_cast<float>(most) ? most : steps > 1.0f ? static_cast<int>(steps) : 1;  // NaN: 1
}

/// Columns [begin, end) of a warp: the row is cut into as many pieces as the team has warps.
struct Piece {
  int begin, end;
};

template <class Team>
__device__ Piece piece_of(const Team& team, int warp, int cols) {
  const int length = ((cols - 1) / team.warps() / kWarpSize + 1) * kWarpSize;
  return {min(cols, warp * length), min(cols, (warp + 1) * length)};
}

/// How many columns hold `value`: of each warp's piece in counts, and in all, for every thread.
template <class Team>
__device__ int count_equal(const Team& team, const float* row, int cols, float value,
                           int* counts) {  // [kMaxWarps], shared memory of the team
  const int lane = threadIdx.x % kWarpSize;
  const Piece piece = piece_of(team, team.warp(), cols);
  int mine = 0;
  for (int col = piece.begin + lane; col < piece.end; col += kWarpSize) mine += row[col] == value;
#pragma unroll
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) mine += __shfl_xor_sync(kAllLanes, mine, offset);
  team.meet();  // an earlier count has been read
  if (lane == 0) counts[team.warp()] = mine;
  team.meet();
  int all = 0;
  for (int w = 0; w < team.warps(); ++w) all += counts[w];
  return all;
}

/// Writes the column of the nth (from 1) `value` of the row. The warp in whose piece it lies walks that piece.
template <class Team>
__device__ void write_column(const Team& team, const float* row, int cols, float value, int nth, const int* counts, int* to) {
  const int lane = threadIdx.x % kWarpSize;
  for (int w = 0; w < team.warp(); ++w) nth -= counts[w];
  if (nth < 1 || nth > counts[team.warp()]) return;  // the whole warp
  const Piece piece = piece_of(team, team.warp(), cols);
  for (int first = piece.begin; first < piece.end; first += kWarpSize) {
    const int col = first + lane;
    const bool equal = col < piece.end && row[col] == value;
    const unsigned found = __ballot_sync(kAllLanes, equal);
    const int before = __popc(found & ((1u << lane) - 1u));
    if (equal && before + 1 == nth) *to = col;
    nth -= __popc(found);
    if (nth < 1) return;
  }
}
// endregion ties

// region draw
/// Draws the token of row r, which lies at `row`, in shared or in global memory.
template <class Team>
__device__ void draw(const Team& team, const Batch& b, long long r, const float* row,
                     int* counts) {  // [kMaxWarps], shared memory of the team
  Tally mine = nothing();
  for (int col = team.thread(); col < b.cols; col += team.threads()) {
    if (!(row[col] > -INFINITY)) continue;
    mine.count += 1;
    mine.most_not_above = fmaxf(mine.most_not_above, row[col]);
  }
  const Tally tokens = team.together(mine);
  const float max = tokens.most_not_above;
  const bool leads = team.thread() == 0;
  if (tokens.count == 0) {  // the same for the whole team
    if (leads) b.token[r] = -1;
    if (leads && b.kept != nullptr) b.kept[r] = 0;
    return;
  }

  // Which are kept: all above `last`, and as many of its equals as it takes.
  const Tally whole = tally(team, row, b.cols, max - kFarBelow, max);
  Place last = {max, 0.0f, 0};  // p <= 0: the first token
  int equals = 1, kept = 1;
  float sum = 1.0f;
  if (b.p >= 1.0f) {
    last.logit = whole.least_above;  // what lies below it is kept, and too light to be drawn
    equals = INT_MAX;
    kept = tokens.count;
    sum = whole.sum;
  } else if (b.p > 0.0f) {
    const float mark = b.p * whole.sum;
    last = find(team, row, b.cols, whole.least_above, max, max, mark, false);
    const float each = expf(last.logit - max);
    equals = needed(last.sum, each, mark, false, count_equal(team, row, b.cols, last.logit, counts));
    kept = last.count + equals;
    sum = last.sum + static_cast<float>(equals) * each;
  }
  WATCH(max);
  WATCH(last.logit);
  WATCH(kept);
  if (leads && b.kept != nullptr) b.kept[r] = kept;

  // Which of them is drawn.
  const float mark = b.uniform[r] * sum;
  const Place here = find(team, row, b.cols, last.logit, max, max, mark, true);
  int most = count_equal(team, row, b.cols, here.logit, counts);
  if (here.logit == last.logit) most = min(most, equals);
  const int nth = needed(here.sum, expf(here.logit - max), mark, true, most);
  write_column(team, row, b.cols, here.logit, nth, counts, &b.token[r]);
}
// endregion draw

// region stage
/// The row into shared memory: float4 where the row begins at a multiple of 16 bytes, and single floats for what is left.
template <class Team>
__device__ void stage(const Team& team, const float* logits, int cols, float* staged) {  // [cols], both
  const int quads = reinterpret_cast<uintptr_t>(logits) % sizeof(float4) == 0 ? cols / 4 : 0;
  for (int i = team.thread(); i < quads; i += team.threads()) {
    reinterpret_cast<float4*>(staged)[i] = reinterpret_cast<const float4*>(logits)[i];
  }
  for (int col = quads * 4 + team.thread(); col < cols; col += team.threads()) staged[col] = logits[col];
  team.meet();
}
// endregion stage

// ---- the three paths -----------------------------------------------------------------------------------------------------

constexpr int kWarpRowCols = 1024;
constexpr int kRowsPerBlock = 4;
constexpr int kFewestThreads = 128;
constexpr int kMostThreads = 1024;

// region kernels
__global__ void __launch_bounds__(kRowsPerBlock* kWarpSize) top_p_by_warp(Batch b) {
  __shared__ float4 staged[kRowsPerBlock][kWarpRowCols / 4];
  __shared__ int counts[kRowsPerBlock];
  const int warp = threadIdx.x / kWarpSize;
  const long long row = static_cast<long long>(blockIdx.x) * kRowsPerBlock + warp;
  if (row >= b.rows) return;  // a whole warp leaves, and no barrier waits for it
  const WarpTeam team;
  float* mine = reinterpret_cast<float*>(staged[warp]);
  stage(team, b.logits + row * b.logits_stride, b.cols, mine);
  draw(team, b, row, mine, &counts[warp]);
}

template <bool kStaged>
__global__ void __launch_bounds__(kMostThreads) top_p_by_block(Batch b) {
  extern __shared__ float4 staged[];  // [cols] floats where kStaged
  __shared__ Tally partials[kMaxWarps];
  __shared__ int counts[kMaxWarps];
  const BlockTeam team = {partials};
  const float* row = b.logits + blockIdx.x * b.logits_stride;
  if (kStaged) {
    stage(team, row, b.cols, reinterpret_cast<float*>(staged));
    row = reinterpret_cast<const float*>(staged);
  }
  draw(team, b, blockIdx.x, row, counts);
}
// endregion kernels

/// About 32 columns a thread: a round is as long as its walk and its reduction, and more threads shorten only the walk.
int threads_for(int cols) {
  int threads = kFewestThreads;
  while (threads < kMostThreads && threads * 32 < cols) threads *= 2;
  return threads;
}

}  // namespace

// region choice
cudaError_t launch_top_p(const float* logits,   // [rows, cols], row stride logits_stride
                         const float* uniform,  // [rows], in [0, 1)
                         int* token,            // [rows]
                         int* kept,             // [rows], or null
                         int rows, int cols, float p, long long logits_stride) {
  if (rows == 0) return cudaSuccess;
  const Batch b = {logits, uniform, token, kept, rows, cols, p, logits_stride};
  if (cols <= kWarpRowCols) {
    top_p_by_warp<<<(rows - 1) / kRowsPerBlock + 1, kRowsPerBlock * kWarpSize>>>(b);
    return cudaGetLastError();
  }
  int device = 0, shared_limit = 0;
  WARPBOOK_TRY(cudaGetDevice(&device));
  WARPBOOK_TRY(cudaDeviceGetAttribute(&shared_limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const size_t fixed = kMaxWarps * (sizeof(Tally) + sizeof(int));  // partials and counts
  const size_t bytes = static_cast<size_t>(cols) * sizeof(float);
  if (fixed + bytes <= static_cast<size_t>(shared_limit)) {
    // Beyond 48 KB a kernel has to ask; without this the launch fails.
    WARPBOOK_TRY(cudaFuncSetAttribute(top_p_by_block<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    top_p_by_block<true><<<rows, threads_for(cols), bytes>>>(b);
  } else {
    top_p_by_block<false><<<rows, threads_for(cols)>>>(b);
  }
  return cudaGetLastError();
}
// endregion choice
