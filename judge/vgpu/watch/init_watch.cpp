// Memory: what a load brings, what a store leaves behind. And the wording of findings. (How values flow between registers: init_flow.cpp.)
#include "judge/vgpu/watch/init_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "judge/vgpu/block.hpp"
#include "judge/vgpu/demangle.hpp"
#include "judge/vgpu/faults.hpp"
#include "judge/vgpu/warp.hpp"

namespace warpbook::vgpu {

namespace {

using ptx::Space;

constexpr std::uint32_t kMostElementBytes = 8;  // a wider element is one that is undefined as a whole

std::uint64_t position(const Access& access, const Shadow& shadow, int lane) {
  return access.address[lane] - shadow.base + static_cast<std::uint64_t>(lane) * shadow.stride;
}

template <class Use>
void for_each_lane(LaneMask lanes, const Use& use) {
  for (; lanes != 0; lanes &= lanes - 1) use(std::countr_zero(lanes));
}

/// The undefined bytes of a register that is loaded from `missing`, the undefined bytes of an element in memory.
std::uint8_t extended(std::uint32_t missing, const MemoryPlan& plan) {
  if (plan.element_bytes > kMostElementBytes) return missing != 0 ? kAllBytes : 0;
  const bool top_missing = (missing >> (plan.element_bytes - 1u) & 1u) != 0;
  const std::uint8_t above = plan.sign_extend && top_missing ? static_cast<std::uint8_t>(~low_bytes(plan.element_bytes)) : 0;
  return static_cast<std::uint8_t>(missing | above);
}

bool same_memory_for_all(const Access& access, LaneMask lanes, const Shadow& shadow) {
  return shadow.stride == 0 && lanes == access.active && access.pattern != Pattern::kScattered;
}

std::uint64_t length(const Access& access) {
  return access.pattern == Pattern::kContiguous ? std::uint64_t{access.bytes} * kWarpSize : access.bytes;
}

}  // namespace

bool InitWatch::all_defined(const Access& access, LaneMask lanes, const Shadow& shadow) const {
  if (shadow.complete()) return true;
  if (same_memory_for_all(access, lanes, shadow)) return shadow.bytes->all(position(access, shadow, access.first_lane()), length(access));
  bool all = true;
  for_each_lane(lanes, [&](int lane) { all = all && shadow.bytes->all(position(access, shadow, lane), access.bytes); });
  return all;
}

void InitWatch::mark(const Access& access, LaneMask lanes, const Shadow& shadow) const {
  if (shadow.complete()) return;
  if (same_memory_for_all(access, lanes, shadow)) {
    shadow.bytes->mark(position(access, shadow, access.first_lane()), length(access));
    return;
  }
  for_each_lane(lanes, [&](int lane) { shadow.bytes->mark(position(access, shadow, lane), access.bytes); });
}

bool InitWatch::load(const Actor& actor, const Access& access, LaneMask lanes, const Shadow& shadow) {
  if (!all_defined(access, lanes, shadow)) return load_undefined(actor, access, lanes, shadow);
  if (!actor.frame.taint->any()) return true;
  for (std::uint8_t e = 0; e < access.plan.vector && e < kMaxDestinations; ++e) {
    if (actor.step.dst[e] != kNoRegister) actor.frame.taint->set_defined(actor.step.dst[e], lanes);
  }
  return true;
}

bool InitWatch::load_undefined(const Actor& actor, const Access& access, LaneMask lanes, const Shadow& shadow) {
  const MemoryPlan& plan = access.plan;
  for (std::uint8_t e = 0; e < plan.vector && e < kMaxDestinations; ++e) {
    if (actor.step.dst[e] == kNoRegister) continue;
    ByteMasks bytes{};
    LaneMask undefined = 0;
    for_each_lane(lanes, [&](int lane) {
      const std::uint64_t at = position(access, shadow, lane) + std::uint64_t{e} * plan.element_bytes;
      const std::uint32_t missing = shadow.bytes->undefined(at, plan.element_bytes);
      bytes[static_cast<std::size_t>(lane)] = extended(missing, plan);
      if (missing != 0) undefined |= LaneMask{1} << lane;
    });
    const std::uint32_t origin = undefined == 0 ? 0 : origin_of_read(actor, access, std::countr_zero(undefined));
    actor.frame.taint->set(actor.step.dst[e], lanes, bytes, origin);
  }
  return true;
}

bool InitWatch::store(const Actor& actor, const Access& access, LaneMask lanes, const Shadow& shadow) {
  if (actor.frame.taint->any()) {
    for (std::uint8_t e = 0; e < access.plan.vector && e + 1 < kMaxSources; ++e) {
      if (actor.frame.taint->find(actor.step.src[e + 1]) != nullptr) return store_undefined(actor, access, lanes, shadow);
    }
  }
  mark(access, lanes, shadow);
  return true;
}

bool InitWatch::store_undefined(const Actor& actor, const Access& access, LaneMask lanes, const Shadow& shadow) {
  const MemoryPlan& plan = access.plan;
  const std::uint8_t whole = low_bytes(plan.element_bytes);
  std::array<const Taint::Row*, kMaxSources> rows{};
  const std::size_t elements = std::min<std::size_t>(plan.vector, kMaxSources - 1);
  for (std::size_t e = 0; e < elements; ++e) rows[e] = actor.frame.taint->find(actor.step.src[e + 1]);
  mark(access, lanes, shadow);
  LaneMask leaving = 0;  // lanes that store an undefined value to global memory
  const Taint::Row* first = nullptr;
  for_each_lane(lanes, [&](int lane) {
    const auto bytes = [&](std::size_t e) { return rows[e] == nullptr ? std::uint8_t{0} : rows[e]->bytes[static_cast<std::size_t>(lane)]; };
    bool holds_something = false;
    for (std::size_t e = 0; e < elements; ++e) holds_something = holds_something || (bytes(e) & whole) != whole;
    for (std::size_t e = 0; e < elements; ++e) {
      const std::uint8_t missing = bytes(e) & whole;
      if (missing == 0) continue;
      // Padding that is as wide as an element travels with its struct: loaded, not computed (arithmetic spoils all eight bytes of a mask),
      // beside an element that holds something.
      const bool padding = holds_something && bytes(e) == whole;
      if (missing == whole && !padding && access.space == Space::kGlobal) {
        leaving |= LaneMask{1} << lane;
        first = first == nullptr ? rows[e] : first;
        continue;
      }
      const std::uint64_t at = position(access, shadow, lane) + e * plan.element_bytes;
      for (std::uint32_t byte = 0; byte < plan.element_bytes && !shadow.untracked(); ++byte) {
        if ((missing >> std::min(byte, kMostElementBytes - 1) & 1u) != 0) shadow.bytes->forget(at + byte, 1);
      }
    }
  });
  if (leaving == 0) return true;
  const Region* region = context_.memory.find(access.address[std::countr_zero(leaving)]);
  const std::string to = region == nullptr || region->name.empty() ? "global memory" : region->name;
  return report(actor, *first, leaving, fmt::format("an undefined value is stored to {}", to));
}

bool InitWatch::atomic(const Actor& actor, const Access& access, LaneMask lanes, const Shadow& shadow) {
  const bool exchange = actor.step.instruction->mod.atom == ptx::AtomOp::kExch;
  if (!exchange && !all_defined(access, lanes, shadow)) {
    LaneMask undefined = 0;
    for_each_lane(lanes, [&](int lane) {
      if (!shadow.bytes->all(position(access, shadow, lane), access.bytes)) undefined |= LaneMask{1} << lane;
    });
    const std::uint32_t origin = origin_of_read(actor, access, std::countr_zero(undefined));
    if (!report(actor, origin, undefined, "an atomic operation combines with an undefined value")) return false;
  }
  if (actor.frame.taint->any()) {
    for (int i = 1; i <= 2; ++i) {
      if (!use(actor, actor.step.src[i], lanes, "an atomic operation brings an undefined value")) return false;
    }
    if (access.plan.returns) actor.frame.taint->set_defined(actor.step.dst[0], lanes);
  }
  mark(access, lanes, shadow);
  return true;
}

void InitWatch::copied(const Shadow& to, Address to_address, const Shadow& from, Address from_address, std::uint32_t bytes) {
  if (to.bytes == nullptr) return;
  if (from.complete()) to.bytes->mark(to_address - to.base, bytes);
  else to.bytes->copy(to_address - to.base, *from.bytes, from_address - from.base, bytes);
}

void InitWatch::enter(const Frame& frame) {
  for (const UnsetRegister& unset : frame.function->unset_registers) {
    const auto key = std::pair(unset.row, false);
    auto known = known_origins_.find(key);
    if (known == known_origins_.end()) {
      Origin origin;
      origin.what = "a variable that is not set on every path";
      origin.question = "what should it hold where nothing sets it?";
      origin.related.what = fmt::format("not set before it is used: PTX register {} of {}", unset.name, demangle(frame.function->source->name));
      known = known_origins_.emplace(key, static_cast<std::uint32_t>(origins_.size())).first;
      origins_.push_back(std::move(origin));
    }
    ByteMasks bytes;
    bytes.fill(kAllBytes);
    frame.taint->set(unset.row, kAllLanes, bytes, known->second);
  }
}

std::uint32_t InitWatch::origin_of_argument(const Frame& frame) {
  Origin origin;
  origin.what = "an argument or a result of a call that was never set";
  origin.question = "what should it hold?";
  origin.related.what = "passed to or from " + demangle(frame.function->source->name);
  const auto [known, fresh] = known_origins_.try_emplace({frame.function->first_site(), true}, static_cast<std::uint32_t>(origins_.size()));
  if (fresh) origins_.push_back(std::move(origin));
  return known->second;
}

std::uint32_t InitWatch::origin_of_read(const Actor& actor, const Access& access, int lane) {
  const auto known = known_origins_.find({actor.step.site, true});
  if (known != known_origins_.end()) return known->second;
  Origin origin;
  origin.memory = true;
  origin.shared = access.space == Space::kShared;
  origin.space = origin.shared ? "shared" : access.space == Space::kLocal ? "local" : "global";
  origin.address = access.address[lane];
  origin.bytes = access.bytes;
  const Address address = access.address[lane];
  const Region* region = nullptr;
  if (access.space == Space::kShared) {
    for (const Region& each : context_.shared_regions) {
      if (each.holds(address, 1)) region = &each;
    }
  } else if (access.space != Space::kLocal) {
    region = context_.memory.find(address);
  }
  const std::string name = region == nullptr || region->name.empty() ? "memory" : variable_name(region->name);
  const std::string_view space = access.space == Space::kShared ? "shared memory " : access.space == Space::kLocal ? "local " : "";
  origin.what = fmt::format("{}{} at byte {}, which nobody had written", space, name, region == nullptr ? address : address - region->base);
  origin.question = origin.shared                   ? "which thread should have written it, and before which barrier?"
                    : access.space == Space::kLocal ? "which line should have set this element?"
                                                    : "who should have filled it, or does the index leave the row?";
  const auto step = static_cast<std::int32_t>(&actor.step - actor.frame.function->steps.data());
  origin.related = {fmt::format("read of {} bytes of {}", access.bytes, origin.what), actor.block.thread(actor.warp.index(), lane),
                    actor.block.index(), source_frames(context_.program.module(), actor.frame, step)};
  origins_.push_back(std::move(origin));
  const auto index = static_cast<std::uint32_t>(origins_.size() - 1);
  known_origins_[{actor.step.site, true}] = index;
  return index;
}

bool InitWatch::report(const Actor& actor, const Taint::Row& row, LaneMask lanes, std::string_view what) {
  const std::uint32_t offset = row.offset;
  const bool go_on = report(actor, row.origin, lanes, what);
  actor.frame.taint->set_defined(offset, lanes);  // said once is enough
  return go_on;
}

bool InitWatch::report(const Actor& actor, std::uint32_t index, LaneMask lanes, std::string_view what) {
  const Origin& origin = origins_[index];
  const auto step = static_cast<std::int32_t>(&actor.step - actor.frame.function->steps.data());
  device::Fault fault;
  fault.kind = device::FaultKind::kUninitialised;
  fault.code = device::Code::kLaunchFailure;
  fault.kernel = context_.program.kernel;
  fault.message = fmt::format("{}; it comes from {}: {}", what, origin.what, origin.question);
  fault.frames = source_frames(context_.program.module(), actor.frame, step);
  fault.instruction = instruction_text(actor.frame, step);
  fault.thread = actor.block.thread(actor.warp.index(), std::countr_zero(lanes));
  fault.block = actor.block.index();
  fault.space = origin.space;
  fault.address = origin.address;
  fault.bytes = origin.bytes;
  fault.related.push_back(origin.related);
  if (!origin.memory) {
    fault.related.back().thread = fault.thread;
    fault.related.back().block = fault.block;
  }
  fault.lanes_affected = static_cast<std::uint64_t>(std::popcount(lanes));
  if (!origin.shared) return context_.add(std::move(fault));
  context_.suspect(std::move(fault));
  return true;
}

bool InitWatch::use(const Actor& actor, std::uint32_t offset, LaneMask lanes, std::string_view what) {
  if (offset == kNoRegister) return true;
  const Taint::Row* row = actor.frame.taint->find(offset);
  const LaneMask undefined = undefined_lanes(row, lanes);
  return undefined == 0 || report(actor, *row, undefined, what);
}

}  // namespace warpbook::vgpu
