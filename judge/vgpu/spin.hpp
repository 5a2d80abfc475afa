#pragma once
// Finding loops that wait for somebody else. Every so many backward branches without a change of memory, the registers are photographed;
// if the same lanes come back to the same branch with the same registers, and still nothing in memory has changed, the loop is a wait: it
// will go round like this until somebody else writes. So it can be put aside until then, at the cost of one iteration, and when everybody
// is put aside nobody will ever write: a deadlock, known at once instead of after the instruction budget. A wait that does count something
// (a timeout, a back-off) escapes the photograph and merely gives up its turn now and then.
#include <cstdint>
#include <vector>

#include "judge/vgpu/frame.hpp"

namespace warpbook::vgpu {

class SpinWatch {
 public:
  static constexpr std::uint32_t kFirstLook = 128;      ///< backward branches before the first photograph
  static constexpr std::uint32_t kLongestPause = 4096;  ///< between later ones
  static constexpr std::uint32_t kTries = 32;           ///< backward branches that one photograph is compared at
  static constexpr std::uint32_t kTurn = 8192;          ///< backward branches without a change of memory that make a turn

  enum class Verdict : std::uint8_t { kGoOn, kWaits, kEndless, kTurnOver };

  void reset(std::uint64_t changes);
  /// Throws the photograph away: another split has run since.
  void forget() { probe_frame_ = nullptr; }
  /// Looks at the very next backward branch: the split was put aside before.
  void look_soon(std::uint64_t changes);
  /// Counts memory steps that read: a loop that reads nothing waits for nobody.
  void count_read() { ++reads_; }

  /// True when the watch wants to look at this backward branch.
  bool count_back_edge() { return ++back_edges_ >= next_look_; }
  /// Looks. `step`: where the branch leads.
  Verdict look(const Frame& frame, std::int32_t step, LaneMask mask, std::uint64_t changes);

  /// Turns in a row without a change of memory.
  std::uint32_t idle_turns() const { return idle_turns_; }

 private:
  bool same(const Frame& frame, std::int32_t step, LaneMask mask) const;
  void photograph(const Frame& frame, std::int32_t step, LaneMask mask);

  std::uint32_t back_edges_ = 0, next_look_ = kFirstLook, pause_ = kFirstLook, tries_ = 0, idle_turns_ = 0;
  std::uint64_t changes_ = 0, reads_ = 0;
  const Frame* probe_frame_ = nullptr;
  std::int32_t probe_step_ = -1;
  LaneMask probe_mask_ = 0;
  std::uint64_t probe_reads_ = 0;
  std::vector<std::byte> probe_rows_;
};

}  // namespace warpbook::vgpu
