#include "judge/vgpu/faults.hpp"

#include <fmt/format.h>

#include "judge/vgpu/block.hpp"
#include "judge/vgpu/demangle.hpp"
#include "judge/vgpu/lane_text.hpp"
#include "judge/vgpu/warp.hpp"

namespace warpbook::vgpu {

std::vector<device::Frame> source_frames(const ptx::Module& module, std::int32_t location) {
  std::vector<device::Frame> frames;
  if (location < 0 || static_cast<std::size_t>(location) >= module.locations.size()) return frames;
  for (const ptx::Frame& frame : module.locations[static_cast<std::size_t>(location)].frames) {
    device::Frame out;
    if (frame.file >= 0 && static_cast<std::size_t>(frame.file) < module.files.size())
      out.file = module.files[static_cast<std::size_t>(frame.file)];
    out.function = demangle(frame.function);
    out.line = frame.line;
    out.column = frame.column;
    frames.push_back(std::move(out));
  }
  return frames;
}

std::vector<device::Frame> source_frames(const ptx::Module& module, const Frame& frame, std::int32_t step) {
  std::vector<device::Frame> frames;
  for (const Frame* at = &frame; at != nullptr; at = at->caller) {
    const ptx::Instruction* instruction = at->function->steps[static_cast<std::size_t>(step)].instruction;
    const std::int32_t location = instruction == nullptr ? at->function->source->location : instruction->location;
    std::vector<device::Frame> here = source_frames(module, location);
    if (!here.empty() && here.back().function.empty()) here.back().function = demangle(at->function->source->name);
    frames.insert(frames.end(), here.begin(), here.end());
    step = at->return_step - 1;
  }
  return frames;
}

std::string instruction_text(const Frame& frame, std::int32_t step) {
  const ptx::Instruction* instruction = frame.function->steps[static_cast<std::size_t>(step)].instruction;
  return instruction == nullptr ? "" : instruction->spelling;
}

std::string Warp::lanes_name(LaneMask lanes) const { return fmt::format("warp {}, {}", index_, lanes_text(lanes)); }

std::vector<device::Frame> Warp::where(const Frame& frame, std::int32_t step) const {
  return source_frames(context_.program.module(), frame, step);
}

device::Waiter Warp::waiter(const Split& split) const {
  device::Waiter waiter;
  const LaneMask lanes = split.waiting != 0 ? split.waiting : split.mask;
  const std::string instruction = instruction_text(*split.frame, split.step);
  switch (split.state) {
    case SplitState::kRunnable: waiter.what = "runs"; break;
    case SplitState::kRendezvous: waiter.what = instruction + rendezvous_mask(split); break;
    case SplitState::kPartialBarrier: waiter.what = instruction; break;
    case SplitState::kBarrier: waiter.what = fmt::format("{} {}", instruction, split.barrier); break;
    case SplitState::kSpinning:
      waiter.what = split.waiting == 0 ? "a loop that waits for memory to change" : instruction + mbarrier_text(split);
      break;
  }
  waiter.threads = lanes_name(lanes);
  waiter.frames = where(*split.frame, split.step);
  return waiter;
}

device::Fault Warp::make_fault(device::FaultKind kind, device::Code code, std::string message, const Frame& frame, const Step& step,
                               int lane) const {
  device::Fault fault;
  fault.kind = kind;
  fault.code = code;
  fault.kernel = context_.program.kernel;
  fault.message = std::move(message);
  const auto number = static_cast<std::int32_t>(&step - frame.function->steps.data());
  fault.frames = where(frame, number);
  fault.instruction = instruction_text(frame, number);
  fault.thread = block_.thread(index_, lane);
  fault.block = block_.index();
  return fault;
}

bool Warp::add_fault(device::Fault fault) { return context_.add(std::move(fault)); }

bool Warp::report(device::FaultKind kind, device::Code code, std::string message, const Frame& frame, const Step& step, int lane) {
  return add_fault(make_fault(kind, code, std::move(message), frame, step, lane));
}

}  // namespace warpbook::vgpu
