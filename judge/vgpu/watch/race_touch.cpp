// What an access does to the shadow. Nearly always all lanes of a warp touch words side by side that nobody has touched since the block's
// last barrier, or only the same thread: settled() sees that in one loop without branches. Whatever else lies in a cell is looked at one by
// one.
#include <algorithm>
#include <bit>

#include "judge/vgpu/block.hpp"
#include "judge/vgpu/watch/race_watch.hpp"

namespace warpbook::vgpu {

struct RaceWatch::Touch {
  const Actor& actor;
  const Access& access;
  RaceBlock& block;
  std::size_t warp;
  const Region* region;     ///< null: shared memory
  const std::byte* memory;  ///< of address 0
  RaceActor who = 0;        ///< of lane 0
  RaceTime now = 0;
  /// Cells of [from, from + span) are ordered before this access whoever touched them, those since `from` are of this block.
  RaceTime from = 0, span = 0;
  unsigned event = 0;  ///< of this access in the page that it touched last

  RaceActor who_of(int lane) const { return who + (static_cast<RaceActor>(lane) << kRaceThreadShift); }
};

namespace {

constexpr unsigned kOneLane = 31;  ///< lane_shift of cells that are all of one lane

/// True when all cells of a kind are ordered before an access of threads from `thread` on, each of which has 1 << lane_shift cells, at
/// first sight.
bool settled(const RacePage& page, RaceKind kind, std::size_t first, std::uint32_t count, std::uint32_t thread, unsigned lane_shift,
             RaceTime from, RaceTime span) {
  const RaceMark* marks = page.marks(kind);
  if (marks == nullptr) return true;
  marks += first;
  // Nearly always nobody has been here, or a warp in one go: one event, threads in a row.
  const std::uint32_t one = marks[0];
  std::uint32_t strayed = 0, any = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    strayed |= marks[i] ^ (one + (i >> lane_shift));
    any |= marks[i];
  }
  if (any == 0) return true;
  if (strayed == 0 && (one & kRaceMarkThread) + ((count - 1) >> lane_shift) <= kRaceMarkThread) {
    const RaceTime time = page.time(one >> kRaceMarkShift);
    return time - from < span || (time >= from && (one & kRaceMarkThread) == thread);
  }
  std::uint64_t old = 1, own = 0;  // a bit for each event
  for (std::uint64_t left = page.known(); left != 0; left &= left - 1) {
    const auto event = static_cast<unsigned>(std::countr_zero(left));
    const RaceTime time = page.time(event);
    old |= std::uint64_t{time - from < span} << event;
    own |= std::uint64_t{time >= from} << event;
  }
  std::uint64_t open = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const unsigned event = marks[i] >> kRaceMarkShift;
    const std::uint64_t mine = own >> event & std::uint64_t{(marks[i] & kRaceMarkThread) == thread + (i >> lane_shift)};
    open |= ~(old >> event | mine) & 1u;
  }
  return open == 0;
}

void fill(RaceMark* marks, std::uint32_t count, RaceMark mark, unsigned lane_shift) {
  for (std::uint32_t i = 0; i < count; ++i) marks[i] = static_cast<RaceMark>(mark + (i >> lane_shift));
}

/// Puts atomics and other strong writes in. A plain write that the warp has just made stays: whatever races with the atomic races with it,
/// and others' atomics besides.
void keep_write(RacePage& page, std::size_t cell, RaceMark write) {
  const RaceStamp last = page.at(kRaceWrites, cell), now = page.stamp(write);
  if (last.time != now.time || !same_warp(last.who, now.who) || (last.who & kRaceStrong) != 0) page.set(kRaceWrites, cell, write);
}

/// Puts a read beside those that are known; which two are kept is said in race_shadow.hpp.
void keep_read(RacePage& page, std::size_t cell, RaceMark read, RaceTime from, RaceTime span) {
  const RaceStamp now = page.stamp(read);
  const auto replaceable = [&](RaceStamp old) {
    return old.time == 0 || old.time - from < span || (old.time >= from && same_thread(old.who, now.who));
  };
  const RaceStamp last = page.at(kRaceReads, cell);
  if (replaceable(last)) return page.set(kRaceReads, cell, read);
  const RaceStamp other = page.at(kRaceOthers, cell);
  const bool own_block = last.time >= from, other_own_block = other.time >= from;
  const bool more_different =
      own_block != other_own_block ? other_own_block : !own_block || (!same_warp(last.who, now.who) && same_warp(other.who, now.who));
  if (replaceable(other) || more_different) {
    page.made(kRaceOthers);
    page.set(kRaceOthers, cell, page.marks(kRaceReads)[cell]);
  }
  page.set(kRaceReads, cell, read);
}

bool is_release(ptx::Order order) { return order == ptx::Order::kRelease || order == ptx::Order::kAcqRel || order == ptx::Order::kSc; }

}  // namespace

bool RaceWatch::global(const Actor& actor, const Access& access, Region& region, LaneMask lanes) {
  if (access.writes) region.only_read = false;
  if (region.read_only || region.only_read || exhausted_) return true;
  RaceBlock& block = run(actor.block);
  if (region.races == nullptr) region.races = std::make_shared<RaceShadow>(region.base, region.bytes);
  if (&region != touched_last_) {
    touched_last_ = &region;
    if (std::find(touched_.begin(), touched_.end(), &region) == touched_.end()) touched_.push_back(&region);
  }
  Touch touched{actor, access, block, static_cast<std::size_t>(actor.warp.index()), &region, region.data - region.base};
  touched.from = resumed_;
  touched.span = std::max(block.barrier_time(), resumed_) - resumed_;
  touch(touched, *region.races, lanes);
  return finish(touched, lanes);
}

bool RaceWatch::shared(const Actor& actor, const Access& access, LaneMask lanes) {
  if (exhausted_) return true;
  RaceBlock& block = run(actor.block);
  Touch touched{actor, access, block, static_cast<std::size_t>(actor.warp.index()), nullptr, actor.block.shared()};
  touched.span = block.barrier_time();  // what is older is of a block that ran here before
  touch(touched, block.shared(), lanes);
  return finish(touched, lanes);
}

void RaceWatch::touch(Touch& touched, RaceShadow& shadow, LaneMask lanes) {
  const Access& access = touched.access;
  touched.now = now_;
  touched.who = race_thread_number(touched.actor.warp.index(), 0) << kRaceThreadShift | std::min(access.step.site, kRaceSiteMask);
  if (access.plan.is_strong()) touched.who |= kRaceStrong | (access.plan.scope == ptx::Scope::kCta ? kRaceBlockScope : 0);
  if (access.pattern == Pattern::kContiguous && lanes == kAllLanes && std::has_single_bit(access.bytes)) {
    const int width = std::countr_zero(access.bytes);
    int lane = 0;
    while (lane < kWarpSize) {
      const Address address = access.address[lane];
      RacePage& page = shadow.page(address, launch_);
      page.refine(std::min(width, kWordShift));
      const auto fit = static_cast<int>((kRacePageBytes - address % kRacePageBytes) >> width);
      const int count = std::min(fit, kWarpSize - lane);
      const auto lane_shift = static_cast<unsigned>(width - page.shift());
      touch_cells(touched, page, address, static_cast<std::size_t>(count) << lane_shift, lane, lane_shift);
      lane += count;
    }
    return;
  }
  if (access.pattern == Pattern::kUniform && touch_uniform(touched, shadow, lanes)) return;
  for (LaneMask left = lanes; left != 0; left &= left - 1) touch_lane(touched, shadow, std::countr_zero(left));
}

/// All lanes at one address: reads and atomics of two lanes stand for those of all when there is nothing to compare them with.
bool RaceWatch::touch_uniform(Touch& touched, RaceShadow& shadow, LaneMask lanes) {
  const Access& access = touched.access;
  const bool strong = access.plan.is_strong();
  if (access.writes && !strong) return false;
  const int first = std::countr_zero(lanes), last = kWarpSize - 1 - std::countl_zero(lanes);
  const Address address = access.address[first];
  const RacePage& page = shadow.page(address, launch_);
  const std::size_t begin = (address % kRacePageBytes) >> page.shift();
  const std::size_t end = ((address % kRacePageBytes) + access.bytes - 1) >> page.shift();
  for (const RaceKind kind : {kRaceWrites, kRaceReads, kRaceOthers}) {
    if (page.marks(kind) == nullptr || (!access.writes && kind != kRaceWrites)) continue;
    for (std::size_t cell = begin; cell <= end; ++cell) {
      const RaceStamp old = page.at(kind, cell);
      const bool calm =
          old.time == 0 || old.time - touched.from < touched.span || (old.time >= touched.from && strong && (old.who & kRaceStrong) != 0);
      if (!calm) return false;
    }
  }
  touch_lane(touched, shadow, first);
  if (last != first) touch_lane(touched, shadow, last);
  return true;
}

void RaceWatch::touch_lane(Touch& touched, RaceShadow& shadow, int lane) {
  const Access& access = touched.access;
  const Address address = access.address[lane];
  RacePage& page = shadow.page(address, launch_);
  page.refine(std::min(std::countr_zero(address | access.bytes), kWordShift));
  if (access.bytes >> page.shift() == 1 && touch_cell(touched, page, (address % kRacePageBytes) >> page.shift(), lane)) return;
  touch_cells(touched, page, address, access.bytes >> page.shift(), lane, kOneLane);
}

/// What touch_cells does for one cell in which nothing stands in the way; false: something does, and nothing has been done.
bool RaceWatch::touch_cell(Touch& touched, RacePage& page, std::size_t cell, int lane) {
  const RaceActor who = touched.who_of(lane);
  const auto calm = [&](RaceKind kind) {
    const RaceMark* marks = page.marks(kind);
    if (marks == nullptr || marks[cell] == 0) return true;
    const RaceTime time = page.time(marks[cell] >> kRaceMarkShift);
    return time - touched.from < touched.span || (time >= touched.from && (marks[cell] & kRaceMarkThread) == race_thread(who));
  };
  const bool writes = touched.access.writes;
  if (!calm(kRaceWrites) || !calm(kRaceReads) || (writes && (touched.access.plan.is_strong() || !calm(kRaceOthers)))) return false;
  const RaceMark mark = page.mark({touched.now, who}, touched.event);
  page.made(writes ? kRaceWrites : kRaceReads)[cell] = mark;
  return true;
}

void RaceWatch::touch_cells(Touch& touched, RacePage& page, Address address, std::size_t cells, int lane, unsigned lane_shift) {
  const std::size_t first = (address % kRacePageBytes) >> page.shift();
  const auto count = static_cast<std::uint32_t>(cells);
  const RaceActor who = touched.who_of(lane);
  const bool writes = touched.access.writes;
  const auto all_settled = [&](RaceKind kind) {
    return settled(page, kind, first, count, race_thread(who), lane_shift, touched.from, touched.span);
  };
  const bool reads_settled = all_settled(kRaceReads);
  if (!all_settled(kRaceWrites) || (writes && (!reads_settled || !all_settled(kRaceOthers)))) {
    const std::uint32_t bytes = 1u << page.shift();
    for (std::uint32_t i = 0; i < count; ++i) {
      const int own = lane + static_cast<int>(i >> lane_shift);
      const Address at = address + (i << page.shift());
      compare(touched, page.at(kRaceWrites, first + i), true, own, at, bytes);
      if (!writes) continue;
      compare(touched, page.at(kRaceReads, first + i), false, own, at, bytes);
      compare(touched, page.at(kRaceOthers, first + i), false, own, at, bytes);
    }
  }
  const RaceMark mark = page.mark({touched.now, who}, touched.event);
  const auto mark_of = [&](std::uint32_t i) { return static_cast<RaceMark>(mark + (i >> lane_shift)); };
  if (writes) {
    RaceMark* marks = page.made(kRaceWrites) + first;
    if (!touched.access.plan.is_strong()) return fill(marks, count, mark, lane_shift);
    for (std::uint32_t i = 0; i < count; ++i) keep_write(page, first + i, mark_of(i));
    return;
  }
  RaceMark* marks = page.made(kRaceReads) + first;
  if (reads_settled) return fill(marks, count, mark, lane_shift);
  for (std::uint32_t i = 0; i < count; ++i) keep_read(page, first + i, mark_of(i), touched.from, touched.span);
}

/// One lane's access against one stamp.
void RaceWatch::compare(Touch& touched, RaceStamp earlier, bool earlier_writes, int lane, Address address, std::uint32_t bytes) {
  if (earlier.time == 0 || earlier.time - touched.from < touched.span) return;
  const RaceActor who = touched.who_of(lane);
  const std::uint32_t number = earlier.time >= touched.from ? touched.block.number() : block_at(earlier.time);
  const bool same_block = number == touched.block.number();
  if (same_block && touched.block.orders(earlier.time, earlier.who, who)) return;
  // volatile keeps the compiler from holding a value back, and orders nothing: the last warp of a tree that counts on its lanes running in
  // step is right only as long as they do.
  const bool in_step = touched.region == nullptr && same_warp(earlier.who, who) && touched.access.plan.order == ptx::Order::kVolatile;
  if ((earlier.who & who & kRaceStrong) != 0 && !in_step && (same_block || ((earlier.who | who) & kRaceBlockScope) == 0)) return;
  if (!touched.block.acquired_nothing(touched.warp)) {
    const RaceAcquiredList acquired = touched.block.acquired(touched.warp, lane);
    if (releases_.cover(acquired, touched.block.number(), number, race_thread(earlier.who), earlier.time)) return;
    // Who has seen what a flag released has seen the flag.
    if ((earlier.who & kRaceStrong) != 0 && releases_.seen(acquired, key(touched.access.space, address))) return;
  }
  reports_.note(touched.actor, touched.access, {earlier, earlier_writes, same_block, linear_[number]}, lane, address, bytes,
                touched.memory + address);
}

/// A strong access acquires what has been released to its address, and releases what fences allow or its own order says.
void RaceWatch::hand_on(Touch& touched, LaneMask lanes) {
  const Access& access = touched.access;
  const bool acquires = access.reads && !releases_.empty(), releases = access.writes && is_release(access.plan.order);
  if (!acquires && !releases && !(access.writes && touched.block.may_release(touched.warp))) return;
  const RaceTime now = releases ? tick() : now_;
  const bool shared = touched.region == nullptr, within_block = shared || access.plan.scope == ptx::Scope::kCta;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for (Address at = access.address[lane]; at < access.address[lane] + access.bytes; at += 1u << kWordShift) {
      const std::uint64_t address = key(access.space, at);
      if (acquires) touched.block.acquire(touched.warp, lane, releases_, address);
      if (!access.writes) continue;
      const auto hand = [&](bool only_block, const RaceKnown& known) {
        if (!known.empty())
          releases_.release(address, touched.block.number(), only_block, known, touched.block.acquired(touched.warp, lane));
      };
      if (releases) {
        hand(within_block, touched.block.known(touched.warp, lane, now));
        continue;
      }
      const RaceKnown near = touched.block.releasable(touched.warp, lane, RaceReach::kBlock);
      const RaceKnown far = touched.block.releasable(touched.warp, lane, RaceReach::kDevice);
      if (!within_block) hand(false, far);
      if (within_block || !(near == far)) hand(true, near);
    }
  }
}

bool RaceWatch::finish(Touch& touched, LaneMask lanes) {
  if (touched.access.plan.is_strong()) hand_on(touched, lanes);
  return !reports_.any() || reports_.flush(touched.actor, touched.access, touched.region);
}

}  // namespace warpbook::vgpu
