#pragma once
// Races as findings. One instruction can race with many others in many bytes, and a loop does it again: a pair of source lines is reported
// once, with the first threads that were seen.
#include <array>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "judge/vgpu/access.hpp"
#include "judge/vgpu/watch/actor.hpp"
#include "judge/vgpu/watch/race_stamp.hpp"

namespace warpbook::vgpu {

/// The earlier of two accesses that nothing orders.
struct RaceEarlier {
  RaceStamp stamp;
  bool writes = false;
  bool same_block = true;
  std::uint64_t block = 0;  ///< linear index
};

class RaceReports {
 public:
  explicit RaceReports(LaunchContext& context) : context_(context) {}

  /// A race of `lane` of the access in [address, address + bytes). `memory`: the bytes there, not yet overwritten.
  void note(const Actor& actor, const Access& access, const RaceEarlier& earlier, int lane, Address address, std::uint32_t bytes,
            const std::byte* memory);
  /// Reports what was noted of this access, to `region` (null: shared memory); false: the launch ends.
  bool flush(const Actor& actor, const Access& access, const Region* region);
  bool any() const { return !noted_.empty(); }

 private:
  struct Noted {
    RaceEarlier earlier;
    device::Severity severity;
    Address address;
    int lane;
    LaneMask lanes;
    std::string values;  ///< of two writes: ", which puts 2 where 1 was"
  };
  using Line = std::pair<int, int>;  ///< file and line; without line information -1 and the site

  device::Fault make_fault(const Actor& actor, const Access& access, const Region* region, const Noted& noted) const;
  Line line_of(std::uint32_t site) const;

  LaunchContext& context_;
  std::vector<Noted> noted_;                 ///< of the access at hand
  std::unordered_set<std::uint64_t> known_;  ///< pairs of sites that need no further look
  std::set<std::tuple<Line, Line, int>> reported_;
  std::array<std::size_t, 2> count_{};  ///< errors, others
};

}  // namespace warpbook::vgpu
