#include "judge/vgpu/watch/race_watch.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "judge/vgpu/block.hpp"

namespace warpbook::vgpu {

namespace {

std::uint64_t next_launch() {
  static std::atomic<std::uint64_t> launches{0};
  return ++launches;
}

/// Keys of addresses that threads synchronise through: words of global memory, and above them those of each block's shared memory.
constexpr std::uint64_t kSharedKey = std::uint64_t{1} << 63;
constexpr int kSharedWordBits = 22;  // of the window of 16 MB

}  // namespace

RaceWatch::RaceWatch(LaunchContext& context) : context_(context), launch_(next_launch()), reports_(context) {}
RaceWatch::~RaceWatch() = default;

void RaceWatch::start_block(const Block& block) {
  std::unique_ptr<RaceBlock>& races = blocks_[&block];
  if (races == nullptr) races = std::make_unique<RaceBlock>();
  const auto number = static_cast<std::uint32_t>(linear_.size());
  linear_.push_back(block.linear_index());
  running_ = nullptr;
  races->start(number, block.warps().size(), context_.shared_extent, tick());
}

void RaceWatch::end_block(const Block&) {}

/// The block that does something now; another one's turn is over.
RaceBlock& RaceWatch::run(const Block& block) {
  if (running_ == &block) return *running_races_;
  running_ = &block;
  running_races_ = blocks_.at(&block).get();
  resumed_ = tick();
  turns_.push_back({resumed_, running_races_->number()});
  return *running_races_;
}

RaceTime RaceWatch::tick() {
  if (now_ == std::numeric_limits<RaceTime>::max()) exhausted_ = true;
  else ++now_;
  return now_;
}

std::uint32_t RaceWatch::block_at(RaceTime time) const {
  const auto behind = std::upper_bound(turns_.begin(), turns_.end(), time, [](RaceTime at, const Turn& turn) { return at < turn.time; });
  return std::prev(behind)->block;
}

std::uint64_t RaceWatch::key(ptx::Space space, Address address) const {
  const Address word = address >> kWordShift;
  if (space != ptx::Space::kShared) return word;
  return kSharedKey | std::uint64_t{running_races_->number()} << kSharedWordBits | word;
}

void RaceWatch::block_barrier(const Block& block, int number, std::span<const LaneMask> arrived) {
  RaceBlock& races = run(block);
  waiting_.assign(arrived.size(), 0);
  bool whole = true;
  for (std::size_t i = 0; i < arrived.size(); ++i) {
    const Warp& warp = *block.warps()[i];
    for (const Split& split : warp.splits()) {
      if (split.state == SplitState::kBarrier && split.barrier == number) waiting_[i] |= split.waiting;
    }
    whole = whole && (warp.alive() & ~waiting_[i]) == 0;
  }
  races.meet(whole, arrived, waiting_, tick());
}

void RaceWatch::warp_barrier(const Actor& actor, LaneMask lanes) {
  RaceBlock& races = run(actor.block);
  races.meet_lanes(static_cast<std::size_t>(actor.warp.index()), lanes, (actor.warp.alive() & ~lanes) == 0, tick());
}

void RaceWatch::fence(const Actor& actor, LaneMask lanes, ptx::Scope scope) {
  RaceBlock& races = run(actor.block);
  races.fence(static_cast<std::size_t>(actor.warp.index()), lanes, scope == ptx::Scope::kCta ? RaceReach::kBlock : RaceReach::kDevice,
              tick());
}

void RaceWatch::release(const Actor& actor, int lane, ptx::Space space, Address address) {
  RaceBlock& races = run(actor.block);
  const auto warp = static_cast<std::size_t>(actor.warp.index());
  const RaceTime now = tick();
  releases_.release(key(space, address), races.number(), false, races.known(warp, lane, now), races.acquired(warp, lane));
}

void RaceWatch::acquire(const Actor& actor, int lane, ptx::Space space, Address address) {
  if (releases_.empty()) return;
  RaceBlock& races = run(actor.block);
  races.acquire(static_cast<std::size_t>(actor.warp.index()), lane, releases_, key(space, address));
}

}  // namespace warpbook::vgpu
