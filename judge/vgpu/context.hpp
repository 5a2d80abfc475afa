#pragma once
// What the parts of one launch share: the program, the memory, the counters, the findings.
#include <string>
#include <utility>
#include <vector>

#include "judge/vgpu/memory.hpp"
#include "judge/vgpu/program.hpp"

namespace warpbook::vgpu {

class DeviceHeap;
class InitWatch;
class LineMeters;
class RaceWatch;
class Tracer;

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
  DeviceHeap* heap = nullptr;            ///< of malloc on the device
  Address grid_workspace = 0;            ///< of cooperative launches: what %envreg1 and %envreg2 point at
  std::uint64_t changes = 0;             ///< counts stores and the atomics that changed something
  std::size_t errors = 0;                ///< of this launch
  std::size_t first_error = 0;           ///< its index in `faults`
  RaceWatch* races = nullptr;            ///< null: switched off
  InitWatch* initialised = nullptr;      ///< null: switched off
  LineMeters* lines = nullptr;           ///< null: only totals are counted
  Tracer* tracer = nullptr;              ///< null: nobody watches step by step

  bool raced = false;                       ///< a race was recorded
  std::vector<device::Fault> suspected{};  ///< findings that wait for a better explanation: see suspect()

  /// Records an undefined value that came from shared memory. Often its cause is that the writer is late, and the race will be found before
  /// the block's next barrier; then the race is told first. Until settle() nothing ends.
  void suspect(device::Fault fault) {
    for (device::Fault& known : suspected) {
      if (known.message != fault.message) continue;
      known.lanes_affected += fault.lanes_affected;  // another warp met the same value
      return;
    }
    if (suspected.size() < kMostSuspected) suspected.push_back(std::move(fault));
  }
  /// Records what is suspected, unless a race explains it; false when the launch must end.
  bool settle() {
    for (device::Fault& fault : std::exchange(suspected, {})) {
      if (!raced) record(std::move(fault));
    }
    return !ended();
  }
  /// True when there have been as many errors as the launch may have.
  bool ended() const { return errors >= static_cast<std::size_t>(options.max_faults); }

  /// Records a finding; false when the launch must end. Warnings and information end nothing.
  bool add(device::Fault fault) {
    if (fault.severity == device::Severity::kError && fault.kind != device::FaultKind::kRace) settle();
    return record(std::move(fault));
  }
  bool over_budget() const { return counters.thread_instructions > options.instruction_budget; }

 private:
  static constexpr std::size_t kMostSuspected = 8;

  bool record(device::Fault fault) {
    const bool error = fault.severity == device::Severity::kError;
    if (error && errors == 0) first_error = faults.size();
    faults.push_back(std::move(fault));
    if (error) ++errors;
    raced = raced || (error && faults.back().kind == device::FaultKind::kRace);
    return !ended();
  }
};

}  // namespace warpbook::vgpu
