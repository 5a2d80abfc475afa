#pragma once
// Copies that cp.async has begun. Their bytes are read at once but reach shared memory as late as they may: when the thread waits for
// them, when somebody tests the mbarrier that tracks them, or when the thread ends. Whoever reads earlier, because the wait is missing or
// too weak, finds what hardware might show him: the old bytes. Until then the destination is marked, so that such a read is also said to
// be one.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "judge/vgpu/region.hpp"
#include "judge/vgpu/step.hpp"

namespace warpbook::vgpu {

struct MemoryPlan;
struct ProgramFunction;

inline constexpr std::size_t kWidestCopy = 16;

/// One cp.async of a warp; lanes leave it as their bytes are delivered.
struct AsyncCopy {
  const ProgramFunction* function = nullptr;
  const Step* step = nullptr;
  const MemoryPlan* plan = nullptr;
  LaneMask lanes = 0;
  std::uint32_t bytes = 0;
  Address to[kWarpSize] = {};           ///< offsets in shared memory
  std::uint32_t group[kWarpSize] = {};  ///< number of the lane's group that the copy belongs to
  std::byte data[kWarpSize][kWidestCopy] = {};
  std::uint32_t undefined[kWarpSize] = {};  ///< bit i: byte i of the source had never been written
};

/// An arrival that an mbarrier gets when a lane's copies so far are complete (cp.async.mbarrier.arrive).
struct CopySignal {
  Address mbarrier = 0;
  LaneMask lanes = 0;
  std::uint64_t copies = 0;  ///< number of copies that the warp had begun
};

/// The copies of a warp, oldest first.
class AsyncCopies {
 public:
  void clear();
  bool none() const { return under_way_.empty() && signals_.empty(); }

  /// A copy to fill in, for `lanes`; it belongs to each lane's open group.
  AsyncCopy& begin(LaneMask lanes);
  void commit(LaneMask lanes);
  void signal(Address mbarrier, LaneMask lanes) { signals_.push_back({mbarrier, lanes, begun_}); }

  const std::vector<std::unique_ptr<AsyncCopy>>& under_way() const { return under_way_; }
  /// Lanes of `lanes` whose copy lies in a group that is older than the `kept` last committed ones.
  LaneMask due(const AsyncCopy& copy, LaneMask lanes, std::uint32_t kept) const;
  /// Takes the oldest signal of that mbarrier out; false: there is none.
  bool take_signal(Address mbarrier, CopySignal& signal);
  /// How many of under_way() had been begun when `copies` had.
  std::size_t count_before(std::uint64_t copies) const;
  /// Forgets copies without lanes.
  void sweep();

 private:
  std::vector<std::unique_ptr<AsyncCopy>> under_way_, spare_;
  std::vector<std::uint64_t> numbers_;  ///< of under_way_: how many had been begun before
  std::vector<CopySignal> signals_;
  std::uint32_t open_group_[kWarpSize] = {};
  std::uint64_t begun_ = 0;
};

/// Which words of a block's shared memory are about to be filled.
class WordsInFlight {
 public:
  static constexpr std::uint64_t kWord = 4;

  void clear();
  bool none() const { return count_ == 0; }
  void add(Address at, std::uint32_t bytes);
  void remove(Address at, std::uint32_t bytes);
  bool touches(Address at, std::uint32_t bytes) const;

 private:
  std::vector<std::uint8_t> copies_;  ///< per word
  std::uint64_t count_ = 0;
};

}  // namespace warpbook::vgpu
