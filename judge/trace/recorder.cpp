#include "judge/trace/recorder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "judge/ptx/registers.hpp"
#include "judge/vgpu/block.hpp"

namespace warpbook::trace {

namespace {

using vgpu::LaneMask;
using vgpu::StepKind;

constexpr std::size_t kMostBytes = 24u << 20;  // of the stream: a page that a browser still opens at once
constexpr std::size_t kMostCount = 65'535;     // of one kind in one event
constexpr std::uint8_t kNobody = 0xFF;         // the lane of a word whose writer is not known
constexpr std::uint32_t kWordBytes = 4;

nlohmann::json triple(device::Dim3 d) { return {d.x, d.y, d.z}; }

/// The word at `address` of memory that ends at `extent`, perhaps in the middle of the word.
std::uint32_t word_at(const std::byte* shared, vgpu::Address address, std::uint64_t extent) {
  std::uint32_t word = 0;
  std::memcpy(&word, shared + address, std::min<std::uint64_t>(sizeof word, extent - address));
  return word;
}

/// What a warp does as a whole, and the barrier it waits at.
std::uint16_t state_of(const vgpu::Warp& warp) {
  const auto code = [](WarpState state, int barrier) {
    return static_cast<std::uint16_t>(static_cast<unsigned>(state) | static_cast<unsigned>(barrier & 0xFF) << 8);
  };
  if (warp.alive() == 0) return code(WarpState::kExited, 0);
  WarpState state = WarpState::kLanes;
  int barrier = 0;
  for (const vgpu::Split& split : warp.splits()) {
    if (split.state == vgpu::SplitState::kRunnable) return code(WarpState::kReady, 0);
    if (split.state == vgpu::SplitState::kBarrier) {
      state = WarpState::kBarrier;
      barrier = split.barrier;
    } else if (split.state == vgpu::SplitState::kSpinning && state != WarpState::kBarrier) {
      state = WarpState::kSpins;
    }
  }
  return code(state, barrier);
}

}  // namespace

vgpu::Tracer* Recorder::at_launch(std::uint64_t number, const vgpu::LaunchContext& context) {
  out_.launches = number;
  context_ = nullptr;
  const bool mine = order_.launch != 0 ? number == order_.launch : out_.launch == 0 && context.program.kernel == order_.kernel;
  if (!mine) return nullptr;
  context_ = &context;
  program_ = &context.program;
  out_.launch = number;
  out_.kernel = context.program.kernel;
  out_.grid = triple(context.launch.grid);
  out_.block = triple(context.launch.block);
  const device::Dim3 grid = context.launch.grid;
  if (order_.block.size() == 1) block_ = order_.block[0];
  if (order_.block.size() == 3) block_ = order_.block[0] + grid.x * (order_.block[1] + grid.y * order_.block[2]);
  out_.index = {block_ % grid.x, block_ / grid.x % grid.y, block_ / grid.x / grid.y};
  const std::size_t warps = (context.launch.block.count() + vgpu::kWarpSize - 1) / vgpu::kWarpSize;
  pending_.resize(warps);
  begun_.assign(warps, 0);
  states_.assign(warps, static_cast<std::uint16_t>(WarpState::kNotBegun));
  return this;
}

bool Recorder::wants(const vgpu::Block& block) const { return !window_over_ && block.linear_index() == block_; }

void Recorder::add_values(std::size_t event, const Pending& pending, LaneMask lanes) {
  Event& to = out_.events[event];
  if (lanes == 0 || to.value_count == kMostCount) return;
  const vgpu::Registers registers = pending.frame->registers();
  std::uint64_t value[vgpu::kWarpSize] = {};
  for (int lane = 0; lane < vgpu::kWarpSize; ++lane) {
    if (pending.bytes == 0) value[lane] = registers.predicate(pending.row) >> lane & 1u;
    else
      std::memcpy(&value[lane], registers.base + pending.row + static_cast<std::size_t>(lane * pending.bytes),
                  static_cast<std::size_t>(pending.bytes));
  }
  const LaneMask undefined = vgpu::undefined_lanes(pending.frame->taint->find(pending.row), lanes);
  const std::size_t before = to.values.size();
  to.values.put(pending.reg);
  to.values.put(lanes);
  to.values.put(undefined);
  to.values.put(static_cast<std::uint8_t>(pending.bytes));
  to.values.put_lanes(lanes, value, std::max(pending.bytes, 1));
  ++to.value_count;
  bytes_ += to.values.size() - before;
}

void Recorder::add_word(std::size_t event, vgpu::Address address, std::uint32_t value, std::uint8_t lane) {
  Event& to = out_.events[event];
  if (to.word_count == kMostCount) return;
  to.words.put(static_cast<std::uint32_t>(address));
  to.words.put(value);
  to.words.put(lane);
  ++to.word_count;
  bytes_ += 2 * sizeof(std::uint32_t) + 1;
}

/// Reads what the steps before have written: the registers of `lanes`, which are past their step, and shared memory.
void Recorder::settle(const vgpu::Block& block, std::size_t warp, LaneMask lanes) {
  for (Pending& pending : pending_[warp]) {
    add_values(pending.event, pending, pending.lanes & lanes);
    pending.lanes &= ~lanes;
  }
  std::erase_if(pending_[warp], [](const Pending& pending) { return pending.lanes == 0; });
  for (const PendingWords& words : pending_words_) {
    const vgpu::Address begin = words.address & ~vgpu::Address{kWordBytes - 1};
    for (vgpu::Address at = begin; at < words.address + words.bytes; at += kWordBytes) {
      const std::uint32_t word = word_at(block.shared(), at, context_->shared_extent);
      std::memcpy(shared_.data() + at, &word, sizeof word);
      add_word(words.event, at, word, words.lane);
    }
  }
  pending_words_.clear();
  if (copies_arrive_) compare_shared(block);
}

/// Finds what no access told of: bytes that cp.async brought, and the insides of an mbarrier.
void Recorder::compare_shared(const vgpu::Block& block) {
  copies_arrive_ = false;
  if (out_.events.empty()) return;
  for (const vgpu::Region& region : context_->shared_regions) {
    for (vgpu::Address at = region.base; at + kWordBytes <= region.end(); at += kWordBytes) {
      const std::uint32_t word = word_at(block.shared(), at, context_->shared_extent);
      if (word == word_at(shared_.data(), at, shared_.size())) continue;
      std::memcpy(shared_.data() + at, &word, sizeof word);
      add_word(out_.events.size() - 1, at, word, kNobody);
    }
  }
}

void Recorder::note_states(const vgpu::Block& block) {
  if (out_.events.empty()) return;
  Event& last = out_.events.back();
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (begun_[i] == 0) continue;
    const std::uint16_t now = state_of(*block.warps()[i]);
    if (now == states_[i]) continue;
    states_[i] = now;
    last.states.put(static_cast<std::uint8_t>(i));
    last.states.put(now);
    ++last.state_count;
  }
}

/// What a window that begins in the middle must know: the watched registers of lanes that it has not met, and shared memory.
void Recorder::begin_window(const vgpu::Actor& actor) {
  const std::size_t event = out_.events.size() - 1;
  if (event == 0) {
    copies_arrive_ = true;
    compare_shared(actor.block);
  }
  const auto warp = static_cast<std::size_t>(actor.warp.index());
  for (const ptx::Watch& watch : actor.frame.function->source->watches) {
    Pending pending;
    pending.frame = &actor.frame;
    pending.row = rows_of(*actor.frame.function, actor.frame.function_index).row[static_cast<std::size_t>(watch.reg)];
    pending.bytes = vgpu::row_bytes(actor.frame.function->source->registers[static_cast<std::size_t>(watch.reg)].type);
    pending.reg = register_number(*actor.frame.function, actor.frame.function_index, watch.reg);
    add_values(event, pending, actor.warp.alive() & ~begun_[warp]);
  }
}

void Recorder::step(const vgpu::Actor& actor, LaneMask mask, LaneMask active) {
  if (!wants(actor.block)) return;
  if (out_.steps++ < order_.from) {
    out_.first = out_.steps;
    return;
  }
  if (shared_.empty()) lay_out_shared();
  const auto warp = static_cast<std::size_t>(actor.warp.index());
  settle(actor.block, warp, mask);
  note_states(actor.block);
  if (out_.events.size() >= order_.steps || bytes_ > kMostBytes) {
    window_over_ = out_.truncated = true;
    return;
  }
  Event event;
  event.warp = static_cast<std::uint8_t>(warp);
  event.site = site_number(actor);
  event.mask = mask;
  event.active = active;
  out_.events.push_back(std::move(event));
  if (order_.from != 0 && begun_[warp] == 0) begin_window(actor);
  if (begun_[warp] == 0) states_[warp] = static_cast<std::uint16_t>(WarpState::kReady);
  begun_[warp] |= mask;
  if (actor.step.kind == StepKind::kCopyWait || actor.step.kind == StepKind::kMbarrier) copies_arrive_ = true;
  if (actor.step.instruction == nullptr || active == 0) return;
  ptx::for_each_register(*actor.step.instruction, [&](std::int32_t reg, ptx::Access access) {
    if (access != ptx::Access::kWrite) return;
    Pending pending;
    pending.event = out_.events.size() - 1;
    pending.frame = &actor.frame;
    pending.row = rows_of(*actor.frame.function, actor.frame.function_index).row[static_cast<std::size_t>(reg)];
    pending.bytes = vgpu::row_bytes(actor.frame.function->source->registers[static_cast<std::size_t>(reg)].type);
    pending.reg = register_number(*actor.frame.function, actor.frame.function_index, reg);
    pending.lanes = active;
    pending_[warp].push_back(pending);
  });
}

void Recorder::access(const vgpu::Actor& actor, const vgpu::Access& access, LaneMask lanes) {
  if (!wants(actor.block) || out_.events.empty() || lanes == 0) return;
  if (access.space != ptx::Space::kGlobal && access.space != ptx::Space::kShared && access.space != ptx::Space::kLocal) return;
  int region_number = 0;
  std::uint64_t offset[vgpu::kWarpSize] = {};
  std::copy(std::begin(access.address), std::end(access.address), std::begin(offset));
  if (access.space == ptx::Space::kGlobal) {
    const vgpu::Region* region = context_->memory.find(access.address[std::countr_zero(lanes)]);
    if (region == nullptr) return;
    const auto [known, fresh] = region_numbers_.try_emplace(region->base, static_cast<int>(region_numbers_.size()));
    if (fresh) out_.regions.push_back({{"name", region->name}, {"bytes", region->bytes}});
    region_number = known->second;
    for (std::uint64_t& one : offset) one -= region->base;
  }
  Event& event = out_.events.back();
  const std::size_t before = event.accesses.size();
  const unsigned space = access.space == ptx::Space::kGlobal ? 0 : access.space == ptx::Space::kShared ? 1 : 2;
  event.accesses.put(static_cast<std::uint8_t>(space | (access.reads ? 4u : 0u) | (access.writes ? 8u : 0u)));
  event.accesses.put(static_cast<std::uint16_t>(region_number));
  event.accesses.put(static_cast<std::uint8_t>(access.bytes));
  event.accesses.put(lanes);
  event.accesses.put_lanes(lanes, offset, sizeof(std::uint64_t));
  ++event.access_count;
  bytes_ += event.accesses.size() - before;
  if (access.space != ptx::Space::kShared || !access.writes) return;
  if (access.plan.action == vgpu::MemoryAction::kCopyAsync) return;  // its bytes arrive later: compare_shared() finds them
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    pending_words_.push_back({out_.events.size() - 1, access.address[lane], access.bytes, static_cast<std::uint8_t>(lane)});
  }
}

Recording Recorder::finish(bool complete) {
  context_ = nullptr;
  if (complete && !window_over_ && !out_.events.empty()) {
    Event& last = out_.events.back();
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (begun_[i] == 0 || states_[i] == static_cast<std::uint16_t>(WarpState::kExited)) continue;
      last.states.put(static_cast<std::uint8_t>(i));
      last.states.put(static_cast<std::uint16_t>(WarpState::kExited));
      ++last.state_count;
    }
  }
  return std::move(out_);
}

}  // namespace warpbook::trace
