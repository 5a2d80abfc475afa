#include "judge/vgpu/stream_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "judge/vgpu/demangle.hpp"
#include "judge/vgpu/faults.hpp"
#include "judge/vgpu/program.hpp"
#include "judge/vgpu/watch/race_watch.hpp"

namespace warpbook::vgpu {

namespace {

constexpr std::size_t kKeptWorks = 8;  ///< of a region
constexpr std::size_t kMostReports = 16;

/// The first byte of a page that is in the set; nothing when none is.
std::optional<std::size_t> first_of(const std::bitset<kRacePageBytes>& bytes) {
  for (std::size_t i = 0; bytes.any() && i < bytes.size(); ++i)
    if (bytes[i]) return i;
  return std::nullopt;
}

/// The bytes of [from, to) in the page at `page`.
std::bitset<kRacePageBytes> bytes_in(Address page, Address from, Address to) {
  std::bitset<kRacePageBytes> out;
  for (Address at = std::max(page, from); at < std::min(page + kRacePageBytes, to); ++at) out.set(at - page);
  return out;
}

std::string variable_or_allocation(const Region& region, Address address) {
  const std::string offset = fmt::format("offset {}", address - region.base);
  if (region.name.empty()) return fmt::format("global memory ({} of an allocation of {} bytes)", offset, region.bytes);
  return fmt::format("global memory {} ({})", variable_name(region.name), offset);
}

}  // namespace

void StreamWatch::begin(StreamTask task) {
  task_ = task.number == 0 ? nullptr : std::make_shared<const StreamTask>(std::move(task));
  if (task_ == nullptr) return;
  // What everybody who is yet to come knows can race with nobody any more.
  const auto settled = [&](const Entry& entry) {
    const StreamTask& old = entry.work->task;
    return old.stream < task_->settled.size() && task_->settled[old.stream] >= old.number;
  };
  for (auto& [region, entries] : known_) std::erase_if(entries, settled);
  std::erase_if(known_, [](const auto& one) { return one.second.empty(); });
}

StreamWatch::Entry StreamWatch::read_shadow(const Region& region, const RaceWatch& races, std::shared_ptr<const Work> work) {
  Entry entry;
  entry.work = std::move(work);
  region.races->for_each_page(races.launch(), [&](Address base, const RacePage& page) {
    std::vector<Touch> touches;
    const std::size_t width = std::size_t{1} << page.shift();
    for (const RaceKind kind : {kRaceWrites, kRaceReads, kRaceOthers}) {
      const RaceMark* marks = page.marks(kind);
      for (std::size_t cell = 0; marks != nullptr && cell < page.cells(); ++cell) {
        const RaceStamp stamp = page.stamp(marks[cell]);
        if (stamp.time == 0) continue;
        const bool writes = kind == kRaceWrites;
        const std::uint32_t who = stamp.who & ~(~RaceActor{0} << kRaceThreadShift);
        auto at = std::find_if(touches.begin(), touches.end(), [&](const Touch& t) { return t.who == who && t.writes == writes; });
        if (at == touches.end()) at = touches.insert(at, {who, writes, race_thread(stamp.who), races.linear_block_at(stamp.time), {}});
        for (std::size_t byte = 0; byte < width; ++byte) at->bytes.set(cell * width + byte);
      }
    }
    if (!touches.empty()) entry.pages.emplace(base, std::move(touches));
  });
  return entry;
}

void StreamWatch::launched(const Program& program, const RaceWatch& races, const Region* except) {
  if (task_ == nullptr) return;
  const auto work = std::make_shared<const Work>(Work{*task_, &program, races.grid(), races.block(), program.kernel});
  for (const Region* region : races.touched()) {
    if (region == except || region->races == nullptr) continue;
    Entry now = read_shadow(*region, races, work);
    compare(*region, now);
    keep(*region, std::move(now));
  }
}

void StreamWatch::touched(const Region& region, Address from, std::uint64_t bytes, bool writes) {
  if (task_ == nullptr || bytes == 0) return;
  Entry now;
  now.work = std::make_shared<const Work>(Work{*task_, nullptr, {}, {}, task_->call});
  now.ranges.push_back({from, from + bytes, writes});
  compare(region, now);
  keep(region, std::move(now));
}

void StreamWatch::compare(const Region& region, const Entry& now) {
  const auto known = known_.find(&region);
  if (known == known_.end()) return;
  for (const Entry& before : known->second) {
    if (now.work->task.is_after(before.work->task)) continue;
    for (const auto& [page, touches] : now.pages) {
      for (const Touch& later : touches) {
        compare_ranges(region, before, page, later, now);
        if (const auto same = before.pages.find(page); same != before.pages.end())
          compare_touches(region, before, same->second, page, later, now);
      }
    }
    for (const Entry::Range& range : now.ranges) {
      for (const Entry::Range& other : before.ranges) {
        if ((range.writes || other.writes) && range.from < other.to && other.from < range.to)
          report(region, before, nullptr, now, nullptr, std::max(range.from, other.from), other.writes, range.writes);
      }
      for (const auto& [page, touches] : before.pages) {
        for (const Touch& earlier : touches) {
          if (!range.writes && !earlier.writes) continue;
          if (const auto byte = first_of(earlier.bytes & bytes_in(page, range.from, range.to)))
            report(region, before, &earlier, now, nullptr, page + *byte, earlier.writes, range.writes);
        }
      }
    }
  }
}

/// What a launch did in a page, against the copies and fills before it.
void StreamWatch::compare_ranges(const Region& region, const Entry& before, Address page, const Touch& later, const Entry& now) {
  for (const Entry::Range& range : before.ranges) {
    if (!range.writes && !later.writes) continue;
    if (const auto byte = first_of(later.bytes & bytes_in(page, range.from, range.to)))
      report(region, before, nullptr, now, &later, page + *byte, range.writes, later.writes);
  }
}

/// The same against what an earlier launch did in that page.
void StreamWatch::compare_touches(const Region& region, const Entry& before, const std::vector<Touch>& touches, Address page,
                                  const Touch& later, const Entry& now) {
  for (const Touch& earlier : touches) {
    if ((!later.writes && !earlier.writes) || (later.who & earlier.who & kRaceStrong) != 0) continue;
    if (const auto byte = first_of(later.bytes & earlier.bytes))
      report(region, before, &earlier, now, &later, page + *byte, earlier.writes, later.writes);
  }
}

void StreamWatch::keep(const Region& region, Entry now) {
  std::vector<Entry>& entries = known_[&region];
  // Who is not ordered behind the later of two pieces of work of one stream is not ordered behind the earlier one either way; where the
  // later did the same, the earlier has nothing to add.
  for (Entry& old : entries) {
    if (old.work->task.stream != now.work->task.stream) continue;
    std::erase_if(old.pages, [&](const auto& page) {
      const auto same = now.pages.find(page.first);
      if (same == now.pages.end()) return false;
      return std::all_of(page.second.begin(), page.second.end(), [&](const Touch& touch) {
        return std::any_of(same->second.begin(), same->second.end(), [&](const Touch& later) {
          return (later.writes || !touch.writes) && (later.who & kRaceStrong) <= (touch.who & kRaceStrong) &&
                 (touch.bytes & ~later.bytes).none();
        });
      });
    });
    std::erase_if(old.ranges, [&](const Entry::Range& range) {
      return std::any_of(now.ranges.begin(), now.ranges.end(), [&](const Entry::Range& later) {
        return later.from <= range.from && later.to >= range.to && (later.writes || !range.writes);
      });
    });
  }
  std::erase_if(entries, [](const Entry& entry) { return entry.pages.empty() && entry.ranges.empty(); });
  if (entries.size() >= kKeptWorks) entries.erase(entries.begin());
  entries.push_back(std::move(now));
}

void StreamWatch::report(const Region& region, const Entry& earlier, const Touch* before, const Entry& later, const Touch* after,
                         Address address, bool earlier_writes, bool later_writes) {
  const Work &old = *earlier.work, &now = *later.work;
  const std::uint32_t old_site = before == nullptr ? kRaceSiteMask : before->who & kRaceSiteMask,
                      new_site = after == nullptr ? kRaceSiteMask : after->who & kRaceSiteMask;
  if (!reported_.emplace(old.name, old_site, now.name, new_site).second || reported_.size() > kMostReports) return;
  const auto frames_of = [](const Work& work, std::uint32_t site) {
    std::vector<device::Frame> frames;
    if (work.program == nullptr || site >= work.program->sites) return frames;
    if (const ptx::Instruction* instruction = work.program->step_of_site(site).instruction)
      frames = source_frames(work.program->module(), instruction->location);
    if (!frames.empty() && frames.back().function.empty())
      frames.back().function = demangle(work.program->function_of_site(site).source->name);
    return frames;
  };
  const auto place = [](const Work& work, const Touch& touch, device::Dim3& thread, device::Dim3& block) {
    thread = {touch.thread % work.block.x, touch.thread / work.block.x % work.block.y, touch.thread / work.block.x / work.block.y};
    block = {static_cast<std::uint32_t>(touch.block % work.grid.x), static_cast<std::uint32_t>(touch.block / work.grid.x % work.grid.y),
             static_cast<std::uint32_t>(touch.block / work.grid.x / work.grid.y)};
  };
  device::Fault fault;
  fault.kind = device::FaultKind::kRace;
  fault.code = device::Code::kLaunchFailure;
  fault.address = address;
  fault.space = "global";
  fault.message = fmt::format(
      "{} in {} {} {}, which {} in {} {}: nothing orders the two streams; record an event behind the first and let the other stream wait "
      "for it (cudaEventRecord, cudaStreamWaitEvent), or synchronise between the two calls",
      now.name, now.task.stream_name, later_writes ? "writes" : "reads", variable_or_allocation(region, address), old.name,
      old.task.stream_name, earlier_writes ? "writes" : "reads");
  if (after != nullptr) {
    fault.kernel = now.name;
    fault.frames = frames_of(now, new_site);
    place(now, *after, fault.thread, fault.block);
    if (new_site < now.program->sites && now.program->step_of_site(new_site).instruction != nullptr)
      fault.instruction = now.program->step_of_site(new_site).instruction->spelling;
  }
  if (before != nullptr) {
    device::Related other;
    other.what = fmt::format("{} by {} in {}", earlier_writes ? "write" : "read", old.name, old.task.stream_name);
    other.frames = frames_of(old, old_site);
    place(old, *before, other.thread, other.block);
    fault.related.push_back(std::move(other));
  }
  faults_.push_back(std::move(fault));
}

}  // namespace warpbook::vgpu
