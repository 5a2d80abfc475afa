#pragma once
// What a decoded mbarrier instruction asks for, packed into Step::flags and Step::width by decode_async.cpp.
#include "judge/ptx/module.hpp"
#include "judge/vgpu/step.hpp"

namespace warpbook::vgpu {

enum class MbarrierAction : std::uint8_t {
  kInit,
  kInvalidate,
  kArrive,
  kExpect,    ///< expect_tx
  kComplete,  ///< complete_tx
  kTest,      ///< test_wait, try_wait
  kTrack,     ///< cp.async.mbarrier.arrive
};

struct MbarrierForm {
  MbarrierAction action = MbarrierAction::kInit;
  bool drops = false;              ///< arrive_drop
  bool expects = false;            ///< arrive.expect_tx
  bool must_not_complete = false;  ///< .noComplete; of kTrack: .noinc
  bool by_parity = false;
  bool relaxed = false;

  static MbarrierForm of(const Step& step) {
    const auto has = [&](unsigned number) { return (step.width >> number & 1u) != 0; };
    return {static_cast<MbarrierAction>(step.flags), has(0), has(1), has(2), has(3), has(4)};
  }
  void store(Step& step) const {
    step.flags = static_cast<std::uint8_t>(action);
    step.width = static_cast<std::uint8_t>(drops | expects << 1 | must_not_complete << 2 | by_parity << 3 | relaxed << 4);
  }
};

/// The other instructions about cp.async, in Step::flags; kGroups waits for all but the Step::immediate last groups.
enum class CopyWait : std::uint8_t { kCommit, kGroups, kAll };

}  // namespace warpbook::vgpu
