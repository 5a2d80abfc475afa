#pragma once
// Counters by source line, one request of each to look at, and which sectors a launch touched at all. Costs a record at every step, so only
// when Options::line_meters asks; the totals of a launch are counted always.
#include <memory>
#include <unordered_map>
#include <vector>

#include "judge/device/kernel_meters.hpp"
#include "judge/vgpu/access.hpp"

namespace warpbook::vgpu {

class LineMeters {
 public:
  explicit LineMeters(const Program& program) : program_(program), sites_(program.sites), heaviest_(program.sites) {}

  device::Counters& at(const Step& step) { return sites_[step.site]; }
  /// A step that `active` of the lanes in `mask` execute; none may be active.
  void executed(const Step& step, std::int32_t number, LaneMask active, LaneMask mask);
  /// The sectors of `lanes` in `region` are used.
  void touch(const Access& access, const Region& region, LaneMask lanes);

  /// A request that took `count` sectors (wavefronts) where `ideal` would do. Kept as the line's example when it is the heaviest of its
  /// instruction; what is kept is a copy, because the memory it speaks of may be gone when somebody looks.
  void example(const Access& access, std::uint32_t count, std::uint32_t ideal, const LaunchContext& context) {
    const Kept& kept = heaviest_[access.step.site];
    const std::uint64_t weight = device::AccessExample::weight_of(count, ideal, access.active);
    if (kept.example == nullptr || weight > kept.weight) keep(access, count, ideal, context);
  }

  /// Adds what was counted to the meters of the launch's kernel.
  void add_to(device::KernelMeters& kernel) const;

 private:
  /// A bit per sector of a region.
  struct Touched {
    std::vector<std::uint64_t> loaded, stored;
  };
  struct Kept {
    std::uint64_t weight = 0;
    std::unique_ptr<device::AccessExample> example;
  };
  void keep(const Access& access, std::uint32_t count, std::uint32_t ideal, const LaunchContext& context);

  const Program& program_;
  std::vector<device::Counters> sites_;
  std::vector<Kept> heaviest_;
  std::unordered_map<const Region*, Touched> touched_;
};

}  // namespace warpbook::vgpu
