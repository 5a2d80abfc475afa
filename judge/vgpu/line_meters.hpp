#pragma once
// Counters by source line, and which sectors a launch touched at all. Costs a record at every step, so only when Options::line_meters asks;
// the totals of a launch are counted always.
#include <unordered_map>
#include <vector>

#include "judge/device/kernel_meters.hpp"
#include "judge/vgpu/access.hpp"

namespace warpbook::vgpu {

class LineMeters {
 public:
  explicit LineMeters(const Program& program) : program_(program), sites_(program.sites) {}

  device::Counters& at(const Step& step) { return sites_[step.site]; }
  /// A step that `active` of the lanes in `mask` execute; none may be active.
  void executed(const Step& step, std::int32_t number, LaneMask active, LaneMask mask);
  /// The sectors of `lanes` in `region` are used.
  void touch(const Access& access, const Region& region, LaneMask lanes);

  /// Adds what was counted to the meters of the launch's kernel.
  void add_to(device::KernelMeters& kernel) const;

 private:
  /// A bit per sector of a region.
  struct Touched {
    std::vector<std::uint64_t> loaded, stored;
  };
  const Program& program_;
  std::vector<device::Counters> sites_;
  std::unordered_map<const Region*, Touched> touched_;
};

}  // namespace warpbook::vgpu
