#pragma once
// A decoded instruction: what decode.cpp makes of a ptx::Instruction and what the warp loop runs. Everything that can be looked up has
// been looked up.
#include <cstdint>

#include "judge/ptx/module.hpp"
#include "judge/vgpu/registers.hpp"

namespace warpbook::vgpu {

struct Step;

/// Executes one instruction for the lanes in `active` (never zero). Pure: reads and writes registers only.
using LaneOperation = void (*)(const Registers& registers, const Step& step, LaneMask active);

/// Which part of the engine runs a step.
enum class StepKind : std::uint8_t {
  kLanes,    ///< operation: registers in, registers out (ops/)
  kMemory,   ///< ld, st, atom, red, cp.async ... (memory_steps.cpp)
  kWarp,     ///< shfl, vote, match, redux, activemask, bar.warp.sync: may wait for lanes (warp_steps.cpp)
  kBarrier,  ///< bar, barrier
  kMbarrier,  ///< mbarrier, cp.async.mbarrier.arrive (mbarrier_steps.cpp)
  kStack,     ///< alloca, stacksave, stackrestore (stack_steps.cpp)
  kCopyWait,  ///< cp.async.commit_group, .wait_group, .wait_all (copy_steps.cpp)
  kBranch,
  kIndirectBranch,
  kCall,
  kReturn,
  kExit,
  kTrap,
  kClock,    ///< refreshes the row of a clock that the next step reads
  kFence,    ///< membar, fence: no effect on values, but it orders (watch/race_watch.hpp)
  kNothing,  ///< hints: no effect on values
  kRefused,  ///< an instruction this version lacks: a named judge error when reached
};

inline constexpr std::uint32_t kNoRegister = 0xFFFFFFFFu;
inline constexpr int kMaxSources = 5;       ///< st.v4 has an address and four values
inline constexpr int kMaxDestinations = 4;  ///< ld.v4; unpacking a 64-bit register into four of 16 bits

struct Step {
  StepKind kind = StepKind::kRefused;
  bool guard_negated = false;
  std::uint8_t flags = 0;  ///< meaning belongs to the operation
  std::uint8_t width = 0;  ///< bytes per element of memory steps
  LaneOperation operation = nullptr;
  std::uint32_t guard = kNoRegister;  ///< predicate offset
  std::uint32_t dst[kMaxDestinations] = {kNoRegister, kNoRegister, kNoRegister, kNoRegister};
  std::uint32_t src[kMaxSources] = {kNoRegister, kNoRegister, kNoRegister, kNoRegister, kNoRegister};
  std::int64_t immediate = 0;        ///< address offset, branch target, lop3 table, prmt mode ...
  std::uint32_t source_negated = 0;  ///< bit i: src[i] is a predicate taken negated
  std::int32_t plan = -1;            ///< memory, call and branch steps: index of their plan in the ProgramFunction
  std::uint32_t site = 0;            ///< number of the step in its program, over all functions: what counters and watchers know it by
  std::int32_t origin = -1;          ///< index of the ptx::Instruction in its function
  std::int32_t reconverge = -1;      ///< of branches: step where the paths meet again, -1: at the exit
  const ptx::Instruction* instruction = nullptr;
};

}  // namespace warpbook::vgpu
