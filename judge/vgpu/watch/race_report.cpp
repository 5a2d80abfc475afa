#include "judge/vgpu/watch/race_report.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>

#include "judge/device/fault_text.hpp"
#include "judge/device/own_frame.hpp"
#include "judge/vgpu/block.hpp"
#include "judge/vgpu/demangle.hpp"
#include "judge/vgpu/faults.hpp"
#include "judge/vgpu/warp.hpp"

namespace warpbook::vgpu {

namespace {

using device::Severity;

constexpr std::size_t kMostReports = 32;    ///< of errors, and of the others, in one launch
constexpr std::size_t kMostLaneBytes = 32;  ///< that one lane moves

/// What a lane is about to store at `address`; false when the instruction is no plain store or stores elsewhere.
bool incoming(const Actor& actor, const Access& access, int lane, Address address, std::uint32_t bytes, std::byte* to) {
  const MemoryPlan& plan = access.plan;
  if (plan.action != MemoryAction::kStore || plan.mover == nullptr || (access.active >> lane & 1u) == 0) return false;
  const Address offset = address - access.address[lane];
  if (offset + bytes > access.bytes) return false;
  const std::byte* rows = actor.frame.registers().base;
  for (std::uint32_t i = 0; i < bytes; ++i) {
    const Address at = offset + i;
    const std::uint32_t row = access.step.src[1 + at / plan.element_bytes];
    to[i] = rows[row + static_cast<std::size_t>(lane) * plan.register_bytes + at % plan.element_bytes];
  }
  return true;
}

std::string value_text(ptx::Type type, const std::byte* bytes, std::uint32_t width) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes, width);
  if (type == ptx::Type::kF32) return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (type == ptx::Type::kF64) return fmt::format("{}", std::bit_cast<double>(bits));
  constexpr std::uint64_t kSmall = 1u << 16;  // larger ones may be anything: nvcc often says no more than b32
  return bits < kSmall ? fmt::format("{}", bits) : fmt::format("{:#x}", bits);
}

std::string_view verb(bool atomic, bool writes) {
  if (atomic) return "atomic access";
  return writes ? "write" : "read";
}

std::string bytes_text(std::uint64_t bytes) { return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes"); }

/// "between line 12 and line 14"; with files where they differ.
std::string between(const std::vector<device::Frame>& earlier, const std::vector<device::Frame>& later) {
  const device::Frame *first = device::own_frame(earlier), *second = device::own_frame(later);
  if (first == nullptr || second == nullptr || first->line == 0 || second->line == 0) return "between them";
  const device::Frame &a = *first, &b = *second;
  if (a.file != b.file) return fmt::format("between {}:{} and {}:{}", a.file, a.line, b.file, b.line);
  if (a.line == b.line) return fmt::format("between one time that line {} runs and the next", a.line);
  return fmt::format("between line {} and line {}", a.line, b.line);
}

/// How a plain access that meets an atomic one becomes harmless. A barrier rarely can be put there: such accesses stand in loops in which
/// each thread decides for itself whether to try the atomic at all.
std::string make_it_atomic(bool plain_writes) {
  return plain_writes
             ? "make the plain write an atomic one, too (atomicExch, or a store of cuda::atomic_ref)"
             : "make the plain read an atomic one, too (a load of cuda::atomic_ref; volatile also reads anew each time, and orders "
               "nothing else)";
}

/// What would order two accesses, by how far apart their threads are.
/// `blocks`: other blocks may be at the same memory.
std::string advice(const RaceEarlier& earlier, bool own_warp, bool mixed, bool plain_writes, bool blocks, const std::string& block,
                   const std::string& between) {
  if (!earlier.same_block) {
    if (mixed)
      return fmt::format(
          " of block {}: blocks run in any order and no barrier of a block orders them; {}, or do one of the two in another "
          "launch",
          block, make_it_atomic(plain_writes));
    return fmt::format(
        " of block {}: blocks run in any order, and only the end of the kernel (another launch), a barrier of the grid, or __threadfence() "
        "with an atomic orders them",
        block);
  }
  const std::string_view others = own_warp ? ", another lane of its warp" : "", barrier = own_warp ? "__syncwarp()" : "__syncthreads()";
  if (mixed) return fmt::format("{}: nothing orders them; {}, or put a {} {}", others, make_it_atomic(plain_writes), barrier, between);
  const std::string_view grid =
      blocks ? " (where blocks share this memory, too, only a barrier of the grid or another launch will do)" : "";
  return fmt::format("{}: nothing orders them; is a {} missing {}?{}", others, barrier, between, grid);
}

/// Severity, and which of the two wrote: four bits.
int kind_of(Severity severity, const RaceEarlier& earlier, const Access& access) {
  return static_cast<int>(severity) << 2 | (earlier.writes ? 2 : 0) | (access.writes ? 1 : 0);
}

/// The two instructions and the kind in one number.
std::uint64_t pair_of(Severity severity, const RaceEarlier& earlier, const Access& access) {
  return static_cast<std::uint64_t>(kind_of(severity, earlier, access)) << 60 | std::uint64_t{earlier.stamp.who & kRaceSiteMask} << 32 |
         std::uint64_t{access.step.site};
}

}  // namespace

void RaceReports::note(const Actor& actor, const Access& access, const RaceEarlier& earlier, int lane, Address address, std::uint32_t bytes,
                       const std::byte* memory) {
  const RaceActor own = race_thread_number(actor.warp.index(), lane) << kRaceThreadShift;
  const bool own_warp = earlier.same_block && same_warp(earlier.stamp.who, own);
  Severity severity = own_warp ? Severity::kWarning : Severity::kError;
  std::string values;
  if (earlier.writes && access.writes) {
    std::byte now[kMostLaneBytes], before[kMostLaneBytes];
    if (incoming(actor, access, lane, address, bytes, now)) {
      // Lanes of one instruction: memory does not hold the earlier lane's value yet.
      const bool together = own_warp && (earlier.stamp.who & kRaceSiteMask) == (access.step.site & kRaceSiteMask) &&
                            incoming(actor, access, static_cast<int>(race_lane(earlier.stamp.who)), address, bytes, before);
      if (!together) std::memcpy(before, memory, bytes);
      if (std::memcmp(now, before, bytes) == 0) severity = Severity::kInfo;
      else if (bytes == access.plan.element_bytes) {
        const ptx::Type type = access.step.instruction->types.back();
        values = fmt::format("{} or {} may stay there", value_text(type, before, bytes), value_text(type, now, bytes));
      }
    }
  }
  for (Noted& noted : noted_) {
    if (noted.severity != severity || noted.earlier.writes != earlier.writes ||
        ((noted.earlier.stamp.who ^ earlier.stamp.who) & kRaceSiteMask) != 0)
      continue;
    noted.lanes |= LaneMask{1} << lane;
    return;
  }
  if (known_.contains(pair_of(severity, earlier, access))) return;
  noted_.push_back({earlier, severity, address, lane, LaneMask{1} << lane, std::move(values)});
}

bool RaceReports::flush(const Actor& actor, const Access& access, const Region* region) {
  bool goes_on = true;
  for (const Noted& noted : noted_) {
    known_.insert(pair_of(noted.severity, noted.earlier, access));
    const Line earlier = line_of(noted.earlier.stamp.who & kRaceSiteMask), later = line_of(access.step.site);
    if (!reported_.emplace(earlier, later, kind_of(noted.severity, noted.earlier, access)).second) continue;
    std::size_t& count = count_[noted.severity == Severity::kError ? 0 : 1];
    if (count++ >= kMostReports) continue;
    goes_on = context_.add(make_fault(actor, access, region, noted)) && goes_on;
  }
  noted_.clear();
  return goes_on;
}

RaceReports::Line RaceReports::line_of(std::uint32_t site) const {
  const Line unknown{-1, static_cast<int>(site)};
  if (site >= context_.program.sites) return unknown;
  const ptx::Instruction* instruction = context_.program.step_of_site(site).instruction;
  const auto& locations = context_.program.module().locations;
  if (instruction == nullptr || instruction->location < 0 || static_cast<std::size_t>(instruction->location) >= locations.size())
    return unknown;
  const auto& frames = locations[static_cast<std::size_t>(instruction->location)].frames;
  return frames.empty() ? unknown : Line{frames.front().file, frames.front().line};
}

device::Fault RaceReports::make_fault(const Actor& actor, const Access& access, const Region* region, const Noted& noted) const {
  const Program& program = context_.program;
  const RaceEarlier& earlier = noted.earlier;
  device::Fault fault;
  fault.kind = device::FaultKind::kRace;
  fault.severity = noted.severity;
  fault.code = device::Code::kLaunchFailure;
  fault.kernel = program.kernel;
  const auto number = static_cast<std::int32_t>(&access.step - actor.frame.function->steps.data());
  const bool here = number >= 0 && static_cast<std::size_t>(number) < actor.frame.function->steps.size();
  fault.frames =
      here ? source_frames(program.module(), actor.frame, number) : source_frames(program.module(), access.step.instruction->location);
  fault.instruction = access.step.instruction->spelling;
  fault.thread = actor.block.thread(actor.warp.index(), noted.lane);
  fault.block = actor.block.index();
  fault.address = noted.address;
  fault.bytes = access.bytes;
  const bool shared = access.space == ptx::Space::kShared;
  fault.space = shared ? "shared" : "global";
  fault.lanes_affected = static_cast<std::uint64_t>(std::popcount(noted.lanes));

  device::Related other;
  bool atomic = false;
  other.what = verb(false, earlier.writes);
  const std::uint32_t site = earlier.stamp.who & kRaceSiteMask;
  if (site < program.sites) {
    const ProgramFunction& function = program.function_of_site(site);
    const Step& step = program.step_of_site(site);
    if (step.kind == StepKind::kMemory && step.plan >= 0) {
      const MemoryPlan& plan = function.memory_plans[static_cast<std::size_t>(step.plan)];
      atomic = plan.atomic != nullptr;
      other.what = fmt::format("{} of {}", verb(atomic, earlier.writes), bytes_text(plan.lane_bytes()));
    }
    if (step.instruction != nullptr) other.frames = source_frames(program.module(), step.instruction->location);
    if (!other.frames.empty() && other.frames.back().function.empty()) other.frames.back().function = demangle(function.source->name);
  }
  other.thread = actor.block.thread(static_cast<int>(race_warp(earlier.stamp.who)), static_cast<int>(race_lane(earlier.stamp.who)));
  const device::Dim3 grid = context_.launch.grid;
  other.block = {static_cast<std::uint32_t>(earlier.block % grid.x), static_cast<std::uint32_t>(earlier.block / grid.x % grid.y),
                 static_cast<std::uint32_t>(earlier.block / grid.x / grid.y)};

  if (shared) {
    for (const Region& each : context_.shared_regions) {
      if (each.holds(noted.address, 1)) region = &each;
    }
  }
  std::string where = shared ? "shared memory" : "global memory";
  if (region != nullptr) {
    const std::string name = shared ? variable_name(region->name) : region->name;
    if (!name.empty()) where += " " + name;
    where += fmt::format(" (offset {})", noted.address - region->base);
  }
  const std::string_view otherwise = access.writes && earlier.writes && !atomic && access.plan.atomic == nullptr ? "another " : "a ";
  const std::string what =
      fmt::format("{} of {} of {} races with {}{} by thread {}", verb(access.plan.atomic != nullptr, access.writes),
                  bytes_text(access.bytes), where, atomic ? "an " : otherwise, verb(atomic, earlier.writes), device::text_of(other.thread));
  const bool later_atomic = access.plan.atomic != nullptr, own_warp = noted.severity == Severity::kWarning;
  std::string why = advice(earlier, own_warp, atomic != later_atomic, atomic ? access.writes : earlier.writes, !shared && grid.count() > 1,
                           device::text_of(other.block), between(other.frames, fault.frames));
  if (noted.severity == Severity::kInfo) why = ": nothing orders them, but both write the same value";
  fault.message = what + why;
  if (!noted.values.empty()) fault.message += fmt::format(" ({})", noted.values);
  fault.related.push_back(std::move(other));
  return fault;
}

}  // namespace warpbook::vgpu
