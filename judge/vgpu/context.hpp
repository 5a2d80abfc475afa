#pragma once
// What the parts of one launch share: the program, the memory, the counters, the findings.
#include <string>
#include <utility>
#include <vector>

#include "judge/vgpu/memory.hpp"
#include "judge/vgpu/program.hpp"

namespace warpbook::vgpu {

struct LaunchContext {
  const Program& program;
  const device::Launch& launch;
  const Options& options;
  Memory& memory;
  std::vector<device::Fault>& faults;
  std::string& output;
  device::Counters counters{};
  std::vector<Region> shared_regions{};  ///< the program's, with the dynamic part of this launch
  std::uint64_t shared_extent = 0;       ///< bytes from offset 0 to the end of the last region, gaps included
  Address grid_workspace = 0;            ///< of cooperative launches: what %envreg1 and %envreg2 point at
  std::uint64_t changes = 0;             ///< counts stores and the atomics that changed something
  std::size_t findings = 0;              ///< faults of this launch

  /// Records a finding; false when the launch must end.
  bool add(device::Fault fault) {
    faults.push_back(std::move(fault));
    return ++findings < static_cast<std::size_t>(options.max_faults);
  }
  bool over_budget() const { return counters.thread_instructions > options.instruction_budget; }
};

}  // namespace warpbook::vgpu
