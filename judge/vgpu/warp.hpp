#pragma once
// A warp: 32 lanes that share instructions but not fates.
//
// Lanes that are at the same place form a split, which runs as one. At a branch where they disagree a split becomes two, and a join
// remembers where their paths meet again (the branch's immediate post-dominator) and which lanes are still expected there. That is the
// whole mechanism: no stack, so any split can run while others wait. Lanes therefore make progress independently, as they do on hardware
// since Volta: a split that spins gives way to its siblings, `.sync` instructions complete as soon as every lane they name is at one like
// it, wherever that is, and when nothing else can move, lanes that wait at a join go on without the others. (Rejected: the usual stack of
// (pc, mask) pairs. It deadlocks when a lane spins on a lock that its sibling holds.)
//
//   warp.cpp         the loop over steps; branches
//   splits.cpp       divergence, joins, exits; what to do when nothing moves
//   spin.cpp         loops that wait for somebody else
//   calls.cpp        frames, calls, returns
//   intrinsics.cpp   vprintf, __assertfail
//   memory_steps.cpp loads, stores, atomics
//   copy_steps.cpp   cp.async and its waits
//   mbarrier_steps.cpp mbarriers
//   warp_steps.cpp   shuffles, votes and the other .sync instructions
//   barrier_steps.cpp what a warp does at a barrier of its block
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "judge/vgpu/access.hpp"
#include "judge/vgpu/async_copies.hpp"
#include "judge/vgpu/context.hpp"
#include "judge/vgpu/exchange.hpp"
#include "judge/vgpu/frame.hpp"
#include "judge/vgpu/mbarrier.hpp"
#include "judge/vgpu/spin.hpp"
#include "judge/vgpu/watch/defined_bytes.hpp"

namespace warpbook::vgpu {

class Block;
struct Shadow;

/// Where paths meet again. Complete when all expected lanes have arrived.
struct Join {
  Frame* frame = nullptr;
  std::int32_t step = -1;
  LaneMask expected = 0, arrived = 0;
  std::int32_t parent = -1;  ///< the join that the lanes belong to afterwards
};

enum class SplitState : std::uint8_t {
  kRunnable,
  kRendezvous,      ///< at a .sync instruction, until all lanes of its mask are
  kPartialBarrier,  ///< at an aligned barrier, until the rest of the warp is
  kBarrier,         ///< at a barrier, until the block is
  kSpinning,        ///< in a loop that changes nothing, until somebody changes memory
};

/// Lanes that run together.
struct Split {
  Frame* frame = nullptr;
  std::int32_t step = 0;
  LaneMask mask = 0;
  std::int32_t join = -1;
  SplitState state = SplitState::kRunnable;
  LaneMask waiting = 0;            ///< lanes at the rendezvous or barrier (those whose guard holds)
  LaneMask done = 0;               ///< of them: lanes whose rendezvous is complete
  int barrier = -1;                ///< number of the barrier waited at
  std::uint64_t seen_changes = 0;  ///< kSpinning: LaunchContext::changes when it was last looked at
};

enum class WarpStatus : std::uint8_t { kRunnable, kBlocked, kSpinning, kDone, kFault };

/// Local memory of a warp's lanes, mapped without reserving it: deep recursion costs only what it touches.
class LocalMemory {
 public:
  LocalMemory() = default;
  ~LocalMemory();
  LocalMemory(const LocalMemory&) = delete;
  LocalMemory& operator=(const LocalMemory&) = delete;

  void allocate(std::uint32_t bytes_per_lane);
  std::byte* base() const { return base_; }
  DefinedBytes* defined() const { return defined_.get(); }  ///< of all lanes; null while nobody asked for it
  /// Begins to remember which bytes are written.
  void watch() {
    if (bytes_ != 0 && defined_ == nullptr) defined_ = std::make_unique<DefinedBytes>(bytes_);
  }
  std::uint64_t stride() const { return stride_; }  ///< bytes from one lane's to the next

 private:
  std::byte* base_ = nullptr;
  std::uint64_t stride_ = 0, bytes_ = 0;
  std::unique_ptr<DefinedBytes> defined_;
};

class Warp {
 public:
  Warp(LaunchContext& context, Block& block, int index, LaneMask lanes);
  Warp(const Warp&) = delete;
  Warp& operator=(const Warp&) = delete;

  /// Ready to run the entry again, for the block's present index.
  void start();
  /// Runs until the warp must wait, has spent its turn, or is done.
  WarpStatus run();

  int index() const { return index_; }
  LaneMask alive() const { return alive_; }
  LaneMask lanes() const { return lanes_; }
  const std::vector<Split>& splits() const { return splits_; }
  const std::vector<Join>& joins() const { return joins_; }
  /// True when a split waits for a change of memory.
  bool spins() const;
  /// True when a split could go on.
  bool can_run() const;

  /// Lets the splits that wait at barrier `number` go on. `result`: of bar.red (popc, and, or as the step asks), unused by others.
  void release_barrier(int number, std::uint32_t count, bool all, bool any);

  /// Gives `mbarrier` the arrivals that wait for copies of this warp, and shared memory those copies. `frame`: of whoever tests it. False:
  /// the launch ends.
  bool signal_copies(Address mbarrier, const Frame& frame, Mbarriers::Complaint& complaint);
  void name_copy(Address at, std::uint32_t bytes, device::Fault& fault) const;

  /// "warp 1, lanes 0-7" for messages.
  std::string lanes_name(LaneMask lanes) const;
  std::vector<device::Frame> where(const Frame& frame, std::int32_t step) const;
  /// Who waits where, for reports.
  device::Waiter waiter(const Split& split) const;

 private:
  enum class Outcome : std::uint8_t {
    kContinue,  ///< the same split goes on, from split.step
    kSwitch,    ///< it is gone or waits: take another one
    kTurnOver,  ///< the warp has had its turn
    kFault,
  };

  // warp.cpp
  Outcome run_split(std::size_t index);
  template <bool kWatched>
  Outcome run_steps(std::size_t index);
  bool watched(const Frame& frame) const;
  bool watch_step(const Split& split, const Step& step, LaneMask active);
  Outcome control_step(std::size_t index, const Step& step, LaneMask active);
  Outcome indirect_branch(std::size_t index, const Step& step, LaneMask active);
  void clock_step(const Frame& frame, const Step& step, LaneMask active);
  int next_runnable();

  // splits.cpp
  struct Part {
    std::int32_t step;
    LaneMask mask;
  };
  void diverge(std::size_t index, std::int32_t reconverge, const Part* parts, std::size_t count);
  std::int32_t make_join(Frame* frame, std::int32_t step, LaneMask expected, std::int32_t parent);
  void free_join(std::int32_t join);
  Outcome arrive(std::size_t index);
  void complete_join(std::int32_t join);
  bool release_joins(bool only_at_exit);
  /// Keeps only `lanes` in the split and sends the rest to the next step.
  void hold_back(std::size_t index, LaneMask lanes);
  Outcome exit_lanes(std::size_t index, LaneMask lanes);
  void forget_lanes(std::int32_t join, LaneMask lanes, const Frame* only_in);
  void remove(std::size_t index);
  bool free_finished_lanes();
  enum class Unstuck : std::uint8_t { kMoved, kStuck, kFault };
  Unstuck unstick();
  bool ends_here(const Join& join) const;

  Outcome at_back_edge(std::size_t index, const Step& step);  // spin.cpp

  // calls.cpp
  Outcome call(std::size_t index, const Step& step, LaneMask active);
  Outcome enter(std::size_t index, const Step& step, const CallPlan& plan, const std::vector<std::pair<int, LaneMask>>& targets);
  Outcome return_lanes(std::size_t index, LaneMask lanes);
  Frame* make_frame(int function, Frame* caller, LaneMask lanes);
  void drop_lanes(Frame* frame, LaneMask lanes);
  void copy_definedness(const Frame& from, const Slot& source, const Frame& to, const Slot& target, int lane);
  void fill_special(const SpecialRow& special, std::byte* row) const;
  void read_slot(const Frame& frame, const Slot& slot, int lane, std::byte* to) const;
  void write_slot(const Frame& frame, const Slot& slot, int lane, const std::byte* from);
  void copy_slots(const Frame& from, const std::vector<Slot>& sources, const Frame& to, const std::vector<Slot>& targets, LaneMask lanes);
  std::byte* local(int lane, std::uint64_t offset) const {
    return local_.base() + static_cast<std::uint64_t>(lane) * local_.stride() + offset;
  }

  bool stack_step(Split& split, const Step& step, LaneMask active);  // stack_steps.cpp

  // intrinsics.cpp
  Outcome intrinsic(std::size_t index, const Step& step, const CallPlan& plan, LaneMask active);
  Outcome heap_call(std::size_t index, const Step& step, const CallPlan& plan, LaneMask active);  // heap_calls.cpp
  bool print(const Frame& frame, const Step& step, const CallPlan& plan, LaneMask active);
  void give_result(const Frame& frame, const CallPlan& plan, int lane, std::uint64_t value);
  std::uint64_t argument(const Frame& frame, const CallPlan& plan, std::size_t index, int lane) const;
  /// Host view of `bytes` at a generic address as `lane` sees it; null when they are not all there.
  const std::byte* look(const Frame& frame, int lane, Address generic, std::uint64_t bytes) const;
  std::string text_at(const Frame& frame, int lane, Address generic) const;

  // memory_steps.cpp
  bool memory_step(const Split& split, const Step& step, LaneMask active);
  bool perform(const Frame& frame, Access& access);
  bool global_access(const Frame& frame, Access& access);
  bool shared_access(const Frame& frame, Access& access);
  bool local_access(const Frame& frame, Access& access);
  bool show(const Frame& frame, const Access& access, LaneMask lanes, const Shadow& shadow);
  void move_lanes(const Frame& frame, const Access& access, LaneMask lanes, std::byte* origin, std::uint64_t stride);
  void run_atomics(const Access& access, const Move& move);
  void move_wide(const Access& access, const Move& move);  // wide_access.cpp
  bool check_alignment(const Frame& frame, Access& access);
  /// Reports the lanes in `bad` and takes them out of the access; false: the launch ends.
  bool refuse(const Frame& frame, Access& access, LaneMask bad, device::FaultKind kind);
  bool refused_before(const Access& access, LaneMask bad);

  // copy_steps.cpp
  bool copy_async(const Split& split, const Step& step, const MemoryPlan& plan, LaneMask active);
  bool stage(const Frame& frame, Access& from, std::byte (*staged)[kWidestCopy], std::uint32_t* undefined);
  bool deliver(AsyncCopy& copy, LaneMask lanes, const Frame& frame);
  bool wait_for_copies(const Frame& frame, const Step& step, LaneMask active);
  void finish_copies(const Frame& frame, LaneMask lanes);
  bool check_in_flight(const Frame& frame, const Access& access);

  // mbarrier_steps.cpp
  Outcome mbarrier_step(std::size_t index, const Step& step, LaneMask active);
  bool find_mbarriers(const Frame& frame, Access& access);
  bool complain(const Frame& frame, const Step& step, int lane, Address at, const std::string& complaint);
  std::string mbarrier_text(const Split& split) const;
  Outcome answer_test(std::size_t index, const Step& step, LaneMask active, LaneMask complete);

  // warp_steps.cpp
  Outcome sync_step(std::size_t index, const Step& step, LaneMask active);
  bool settle_rendezvous();
  bool exchange(std::span<const Participant> participants, const Frame& frame, LaneMask mask, LaneMask present);
  bool check_exits(LaneMask exited);
  std::string rendezvous_mask(const Split& split) const;

  // barrier_steps.cpp
  Outcome barrier_step(std::size_t index, const Step& step, LaneMask active);
  bool settle_partial_barriers(bool& moved);
  bool join_block_barrier(Split& split, const Step& step);
  bool divergent_barrier_fault();

  // faults of this warp; false when the launch must end
  bool report(device::FaultKind kind, device::Code code, std::string message, const Frame& frame, const Step& step, int lane);
  device::Fault make_fault(device::FaultKind kind, device::Code code, std::string message, const Frame& frame, const Step& step,
                           int lane) const;
  bool add_fault(device::Fault fault);

  LaunchContext& context_;
  Block& block_;
  int index_;
  LaneMask lanes_;      ///< lanes that the block has here
  LaneMask alive_ = 0;  ///< of them: not yet exited
  std::vector<Split> splits_;
  std::vector<Join> joins_;
  std::vector<std::int32_t> free_joins_;
  FramePool frames_;
  LocalMemory local_;
  SpinWatch spin_;
  AsyncCopies copies_;
  /// The last read that was refused: a write to the same place by the same line (`a[i]++`) is the same mistake.
  struct Refused {
    LaneMask lanes = 0;
    std::int32_t location = -1;
    Address address[kWarpSize];
  };
  Refused refused_;
  /// The last test of an mbarrier that failed.
  struct Poll {
    const Step* step = nullptr;
    LaneMask lanes = 0;
    std::uint64_t changes = 0;
    std::uint32_t times = 0;
  };
  Poll poll_;
};

}  // namespace warpbook::vgpu
