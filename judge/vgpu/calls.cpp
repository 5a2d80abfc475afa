// Calls. Lanes that call together share a frame; lanes that call different functions through a pointer part, and all meet again behind the
// call. Arguments and results are copied between the caller's and the callee's local memory (or registers), which is where PTX's .param
// space of functions lives here.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "judge/vgpu/block.hpp"
#include "judge/vgpu/rows.hpp"
#include "judge/vgpu/warp.hpp"
#include "judge/vgpu/watch/init_watch.hpp"

namespace warpbook::vgpu {

namespace {

constexpr std::uint32_t kWidestRow = 8;

/// A warp's frames serve one block after the other; most special registers stay what they are.
bool differs_between_blocks(ptx::SpecialRegister reg) {
  switch (reg) {
    case ptx::SpecialRegister::kCtaidX:
    case ptx::SpecialRegister::kCtaidY:
    case ptx::SpecialRegister::kCtaidZ:
    case ptx::SpecialRegister::kClusteridX:
    case ptx::SpecialRegister::kClusteridY:
    case ptx::SpecialRegister::kClusteridZ:
    case ptx::SpecialRegister::kSmid: return true;
    default: return false;
  }
}

std::string bad_pointer_text(std::uint64_t address) {
  if (address == 0) return "call through a null function pointer";
  return fmt::format("call through a pointer to {:#x}, where no function of the device is (one whose address host code took is on the host)",
                     address);
}

}  // namespace

Frame* Warp::make_frame(int function, Frame* caller, LaneMask lanes) {
  Frame* frame = frames_.take(function);
  frame->caller = caller;
  frame->lanes = lanes;
  frame->local_base = caller == nullptr ? 0 : caller->local_end();
  for (const SpecialRow& special : frame->function->special_rows) {
    if (frame->fresh || differs_between_blocks(special.reg)) fill_special(special, frame->rows + special.row);
  }
  if (context_.initialised != nullptr) {
    context_.initialised->enter(*frame);
    if (const std::uint32_t bytes = frame->function->local_bytes; bytes != 0) {
      for (LaneMask left = lanes; left != 0; left &= left - 1)
        local_.defined()->forget(static_cast<std::uint64_t>(std::countr_zero(left)) * local_.stride() + frame->local_base, bytes);
    }
  }
  for (const FrameRow& row : frame->function->frame_rows) fill_row(frame->rows + row.row, frame->local_base + row.displacement, row.bytes);
  return frame;
}

void Warp::drop_lanes(Frame* frame, LaneMask lanes) {
  frame->lanes &= ~lanes;
  if (frame->lanes == 0) frames_.give_back(frame);
}

Warp::Outcome Warp::call(std::size_t index, const Step& step, LaneMask active) {
  Split& split = splits_[index];
  const CallPlan& plan = split.frame->function->call_plans[static_cast<std::size_t>(step.plan)];
  if (plan.intrinsic != Intrinsic::kNone) return intrinsic(index, step, plan, active);
  if (plan.callee >= 0) return enter(index, step, plan, {{plan.callee, active}});

  std::vector<std::pair<int, LaneMask>> targets;
  const std::uint64_t* address = split.frame->registers().row<std::uint64_t>(step.src[0]);
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto known = context_.program.by_code_address.find(address[lane]);
    if (known == context_.program.by_code_address.end()) {
      device::Fault fault =
          make_fault(device::FaultKind::kInvalidCall, device::Code::kInvalidPc, bad_pointer_text(address[lane]), *split.frame, step, lane);
      fault.address = address[lane];
      fault.lanes_affected = 0;
      for (LaneMask same = left; same != 0; same &= same - 1) fault.lanes_affected += address[std::countr_zero(same)] == address[lane];
      add_fault(std::move(fault));
      return Outcome::kFault;
    }
    const auto same = std::find_if(targets.begin(), targets.end(), [&](const auto& target) { return target.first == known->second; });
    if (same == targets.end()) targets.emplace_back(known->second, LaneMask{1} << lane);
    else same->second |= LaneMask{1} << lane;
  }
  return enter(index, step, plan, targets);
}

Warp::Outcome Warp::enter(std::size_t index, const Step& step, const CallPlan& plan, const std::vector<std::pair<int, LaneMask>>& targets) {
  Frame* const caller = splits_[index].frame;
  const std::int32_t behind = splits_[index].step + 1;
  const std::int32_t join = make_join(caller, behind, splits_[index].mask, splits_[index].join);
  LaneMask calling = 0;
  std::vector<Split> callees;
  for (const auto& [function, lanes] : targets) {
    const ProgramFunction& code = context_.program.functions[static_cast<std::size_t>(function)];
    if (caller->local_end() + code.local_bytes > context_.program.stack_bytes) {
      report(device::FaultKind::kStackOverflow, device::Code::kHardwareStackError,
             fmt::format("the stack of {} bytes per thread is full: calls nest too deeply", context_.program.stack_bytes), *caller, step,
             std::countr_zero(lanes));
      return Outcome::kFault;
    }
    if (plan.arguments.size() != code.parameters.size() || plan.results.size() > code.results.size()) {
      report(device::FaultKind::kInvalidCall, device::Code::kInvalidPc,
             fmt::format("call of {} with {} arguments, which takes {}", code.source->name, plan.arguments.size(), code.parameters.size()),
             *caller, step, std::countr_zero(lanes));
      return Outcome::kFault;
    }
    calling |= lanes;
    Split split;
    split.frame = make_frame(function, caller, lanes);
    split.frame->return_step = behind;
    split.frame->call_join = join;
    split.frame->call = &plan;
    split.mask = lanes;
    split.join = join;
    copy_slots(*caller, plan.arguments, *split.frame, code.parameters, lanes);
    callees.push_back(split);
  }
  joins_[static_cast<std::size_t>(join)].arrived = splits_[index].mask & ~calling;
  splits_[index] = callees.front();
  splits_.insert(splits_.end(), callees.begin() + 1, callees.end());
  return Outcome::kContinue;
}

Warp::Outcome Warp::return_lanes(std::size_t index, LaneMask lanes) {
  Split& split = splits_[index];
  Frame* const frame = split.frame;
  const ProgramFunction& code = *frame->function;
  const std::size_t results = std::min(frame->call->results.size(), code.results.size());
  const std::vector<Slot> from(code.results.begin(), code.results.begin() + static_cast<std::ptrdiff_t>(results));
  copy_slots(*frame, from, *frame->caller, frame->call->results, lanes);

  const std::int32_t inner = split.join;
  const std::int32_t meeting = frame->call_join;
  if (split.mask == lanes) {
    remove(index);
  } else {
    split.mask &= ~lanes;
    ++split.step;
  }
  forget_lanes(inner, lanes, frame);
  joins_[static_cast<std::size_t>(meeting)].arrived |= lanes;
  drop_lanes(frame, lanes);
  complete_join(meeting);
  return Outcome::kSwitch;
}

void Warp::read_slot(const Frame& frame, const Slot& slot, int lane, std::byte* to) const {
  if (slot.row == kNoRegister) {
    std::memcpy(to, local(lane, frame.local_base + slot.displacement), slot.bytes);
  } else {
    std::memcpy(to, frame.rows + slot.row + static_cast<std::uint32_t>(lane) * slot.bytes, slot.bytes);
  }
}

void Warp::write_slot(const Frame& frame, const Slot& slot, int lane, const std::byte* from) {
  if (slot.row == kNoRegister) {
    std::memcpy(local(lane, frame.local_base + slot.displacement), from, slot.bytes);
  } else {
    std::memcpy(frame.rows + slot.row + static_cast<std::uint32_t>(lane) * slot.bytes, from, slot.bytes);
  }
}

void Warp::copy_slots(const Frame& from, const std::vector<Slot>& sources, const Frame& to, const std::vector<Slot>& targets,
                      LaneMask lanes) {
  std::vector<std::byte> value;
  for (std::size_t i = 0; i < sources.size() && i < targets.size(); ++i) {
    if (targets[i].bytes == 0) continue;  // `_`
    value.assign(std::max({sources[i].bytes, targets[i].bytes, kWidestRow}), std::byte{0});
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      read_slot(from, sources[i], lane, value.data());
      write_slot(to, targets[i], lane, value.data());
      if (context_.initialised != nullptr) copy_definedness(from, sources[i], to, targets[i], lane);
    }
  }
}

/// Undefined bytes go along with the values of arguments and results.
void Warp::copy_definedness(const Frame& from, const Slot& source, const Frame& to, const Slot& target, int lane) {
  const auto at = [&](const Frame& frame, const Slot& slot) {
    return static_cast<std::uint64_t>(lane) * local_.stride() + frame.local_base + slot.displacement;
  };
  const LaneMask one = LaneMask{1} << lane;
  const std::uint32_t bytes = std::min(source.bytes, target.bytes);
  if (target.row == kNoRegister) {
    if (source.row == kNoRegister) {
      local_.defined()->copy(at(to, target), *local_.defined(), at(from, source), bytes);
      return;
    }
    local_.defined()->mark(at(to, target), target.bytes);
    const Taint::Row* row = from.taint->find(source.row);
    for (std::uint32_t byte = 0; row != nullptr && byte < bytes; ++byte) {
      if ((row->bytes[static_cast<std::size_t>(lane)] >> byte & 1u) != 0) local_.defined()->forget(at(to, target) + byte, 1);
    }
    return;
  }
  if (source.row != kNoRegister) {
    const Taint::Row* row = from.taint->find(source.row);
    if (row == nullptr) to.taint->set_defined(target.row, one);
    else to.taint->set(target.row, one, ByteMasks(row->bytes), row->origin);
    return;
  }
  ByteMasks missing{};
  missing[static_cast<std::size_t>(lane)] = static_cast<std::uint8_t>(local_.defined()->undefined(at(from, source), std::min(bytes, 8u)));
  if (missing[static_cast<std::size_t>(lane)] == 0) to.taint->set_defined(target.row, one);
  else to.taint->set(target.row, one, missing, context_.initialised->origin_of_argument(from));
}

void Warp::fill_special(const SpecialRow& special, std::byte* row) const {
  using ptx::SpecialRegister;
  const device::Dim3 size = context_.launch.block, grid = context_.launch.grid, at = block_.index();
  std::array<std::uint64_t, kWarpSize> value{};
  const auto all = [&](std::uint64_t same) { value.fill(same); };
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const auto i = static_cast<std::size_t>(lane);
    const device::Dim3 thread = block_.thread(index_, lane);
    const LaneMask eq = LaneMask{1} << lane;
    switch (special.reg) {
      case SpecialRegister::kTidX: value[i] = thread.x; break;
      case SpecialRegister::kTidY: value[i] = thread.y; break;
      case SpecialRegister::kTidZ: value[i] = thread.z; break;
      case SpecialRegister::kLaneid: value[i] = static_cast<std::uint64_t>(lane); break;
      case SpecialRegister::kLanemaskEq: value[i] = eq; break;
      case SpecialRegister::kLanemaskLt: value[i] = eq - 1; break;
      case SpecialRegister::kLanemaskLe: value[i] = eq | (eq - 1); break;
      case SpecialRegister::kLanemaskGt: value[i] = static_cast<LaneMask>(~(eq | (eq - 1))); break;
      case SpecialRegister::kLanemaskGe: value[i] = static_cast<LaneMask>(~(eq - 1)); break;
      default: break;
    }
  }
  // Shared memory is told in units of 128 bytes, before sm_80 of 256 (PTX manual, %total_smem_size).
  const std::uint64_t unit = context_.options.properties.major < 8 ? 256 : 128,
                      reserved = static_cast<std::uint64_t>(context_.options.properties.reserved_shared_per_block),
                      shared_in_units = (context_.launch.dynamic_shared + context_.program.static_shared + unit - 1) / unit * unit;
  const std::uint64_t warps = (size.count() + kWarpSize - 1) / kWarpSize;
  switch (special.reg) {
    case SpecialRegister::kNtidX: all(size.x); break;
    case SpecialRegister::kNtidY: all(size.y); break;
    case SpecialRegister::kNtidZ: all(size.z); break;
    case SpecialRegister::kCtaidX: all(at.x); break;
    case SpecialRegister::kCtaidY: all(at.y); break;
    case SpecialRegister::kCtaidZ: all(at.z); break;
    case SpecialRegister::kNctaidX: all(grid.x); break;
    case SpecialRegister::kNctaidY: all(grid.y); break;
    case SpecialRegister::kNctaidZ: all(grid.z); break;
    case SpecialRegister::kWarpid: all(static_cast<std::uint64_t>(index_)); break;
    case SpecialRegister::kNwarpid: all(warps); break;
    case SpecialRegister::kNsmid: all(static_cast<std::uint64_t>(context_.options.properties.multiprocessors)); break;
    case SpecialRegister::kSmid:
      all(block_.linear_index() % static_cast<std::uint64_t>(context_.options.properties.multiprocessors));
      break;
    // A cluster is one block.
    case SpecialRegister::kClusteridX: all(at.x); break;
    case SpecialRegister::kClusteridY: all(at.y); break;
    case SpecialRegister::kClusteridZ: all(at.z); break;
    case SpecialRegister::kNclusteridX: all(grid.x); break;
    case SpecialRegister::kNclusteridY: all(grid.y); break;
    case SpecialRegister::kNclusteridZ: all(grid.z); break;
    case SpecialRegister::kClusterNctaidX:
    case SpecialRegister::kClusterNctaidY:
    case SpecialRegister::kClusterNctaidZ:
    case SpecialRegister::kClusterNctarank: all(1); break;
    // Nobody gave the cluster its size, and no graph was launched by a kernel: false and 0, as the row is.
    case SpecialRegister::kIsExplicitCluster:
    case SpecialRegister::kCurrentGraphExec: break;
    case SpecialRegister::kDynamicSmemSize: all(context_.launch.dynamic_shared); break;
    case SpecialRegister::kTotalSmemSize: all(shared_in_units); break;
    case SpecialRegister::kAggrSmemSize: all(shared_in_units + reserved); break;
    case SpecialRegister::kReservedSmemOffsetEnd:
    case SpecialRegister::kReservedSmemOffsetCap: all(reserved); break;
    case SpecialRegister::kEnvreg1: all(context_.grid_workspace >> 32); break;
    case SpecialRegister::kEnvreg2: all(context_.grid_workspace & 0xFFFFFFFFu); break;
    default: break;
  }
  for (int lane = 0; lane < kWarpSize; ++lane) {
    std::memcpy(row + lane * special.bytes, &value[static_cast<std::size_t>(lane)], static_cast<std::size_t>(special.bytes));
  }
}

}  // namespace warpbook::vgpu
