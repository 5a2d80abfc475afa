#include "judge/vgpu/watch/race_release.hpp"

#include <algorithm>

namespace warpbook::vgpu {

namespace {

/// Releases of one launch that are kept. A kernel that hands on more than this is no longer followed: everything counts as handed on.
constexpr std::size_t kMostReleases = std::size_t{1} << 21;

}  // namespace

bool RaceKnown::holds(std::uint32_t thread, RaceTime time) const {
  if (time < block_time) return true;
  return std::any_of(parts.begin(), parts.end(),
                     [&](const Part& part) { return time < part.time && thread - part.first < std::uint32_t{part.count}; });
}

void RaceKnown::merge(const RaceKnown& other) {
  block_time = std::max(block_time, other.block_time);
  parts.insert(parts.end(), other.parts.begin(), other.parts.end());
  std::erase_if(parts, [&](const Part& part) { return part.time <= block_time; });
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    if (a.first != b.first) return a.first < b.first;
    return a.count != b.count ? a.count < b.count : a.time > b.time;
  });
  std::size_t kept = 0;
  for (const Part& part : parts) {
    if (kept > 0) {
      Part& last = parts[kept - 1];
      if (last.first == part.first && last.count == part.count) continue;  // the later one came first
      if (last.time == part.time && last.first + last.count == part.first) {
        last.count = static_cast<std::uint16_t>(last.count + part.count);
        continue;
      }
    }
    parts[kept++] = part;
  }
  parts.resize(kept);
}

bool RaceKnown::operator==(const RaceKnown& other) const {
  return block_time == other.block_time &&
         std::equal(parts.begin(), parts.end(), other.parts.begin(), other.parts.end(),
                    [](const Part& a, const Part& b) { return a.first == b.first && a.count == b.count && a.time == b.time; });
}

void join(RaceAcquiredList& into, const RaceAcquiredList& from) {
  if (from.empty() || into == from) return;
  for (const RaceAcquired& one : from) {
    const auto at = std::lower_bound(into.begin(), into.end(), one.address,
                                     [](const RaceAcquired& a, std::uint32_t address) { return a.address < address; });
    if (at == into.end() || at->address != one.address) into.insert(at, one);
    else at->count = std::max(at->count, one.count);
  }
}

void RaceReleases::release(std::uint64_t address, std::uint32_t block, bool within_block, const RaceKnown& known,
                           const RaceAcquiredList& acquired) {
  if (entries_ >= kMostReleases) return;
  const auto [number, fresh] = numbers_.try_emplace(address, static_cast<std::uint32_t>(addresses_.size()));
  if (fresh) addresses_.emplace_back();
  Log& log = addresses_[number->second];
  const auto [last, first] = log.last.try_emplace(block, kNone);
  const auto index = static_cast<std::uint32_t>(log.releases.size());
  for (const RaceAcquired& one : acquired) {
    if (one.address == number->second) continue;  // whoever acquires this release has those before it
    const std::uint64_t key = std::uint64_t{one.address} << 32 | (within_block ? block + 1 : 0);
    std::uint32_t& count = log.linked[key];
    if (count >= one.count) continue;
    count = one.count;
    log.links.push_back({index, block, within_block, one});
    ++entries_;
  }
  const bool links_added = !log.links.empty() && log.links.back().index == index;
  if (!links_added && !first && log.releases[last->second].within_block == within_block && log.releases[last->second].known == known)
    return;
  log.releases.push_back({block, last->second, within_block, known});
  last->second = index;
  entries_ += 1 + known.parts.size() / 4;
}

void RaceReleases::acquire(std::uint64_t address, RaceAcquiredList& to) const {
  const auto number = numbers_.find(address);
  if (number == numbers_.end()) return;
  const RaceAcquired all{number->second, static_cast<std::uint32_t>(addresses_[number->second].releases.size())};
  join(to, {all});
}

bool RaceReleases::seen(const RaceAcquiredList& acquired, std::uint64_t address) const {
  const auto number = numbers_.find(address);
  return number != numbers_.end() &&
         std::any_of(acquired.begin(), acquired.end(), [&](const RaceAcquired& one) { return one.address == number->second; });
}

bool RaceReleases::in_log(const Log& log, std::uint32_t count, std::uint32_t reader, std::uint32_t block, std::uint32_t thread,
                          RaceTime time) const {
  const auto last = log.last.find(block);
  std::uint32_t index = last == log.last.end() ? kNone : last->second;
  while (index != kNone) {
    const Release& release = log.releases[index];
    if (index < count && (!release.within_block || reader == block) && release.known.holds(thread, time)) return true;
    index = release.previous;
  }
  return false;
}

bool RaceReleases::cover(const RaceAcquiredList& acquired, std::uint32_t reader, std::uint32_t block, std::uint32_t thread,
                         RaceTime time) const {
  if (acquired.empty()) return false;
  if (entries_ >= kMostReleases) return true;
  RaceAcquiredList open = acquired;
  std::unordered_map<std::uint32_t, std::uint32_t> visited;
  while (!open.empty()) {
    RaceAcquiredList next;
    for (const RaceAcquired& one : open) {
      std::uint32_t& seen_count = visited[one.address];
      if (seen_count >= one.count) continue;
      seen_count = one.count;
      const Log& log = addresses_[one.address];
      if (in_log(log, one.count, reader, block, thread, time)) return true;
      for (const Link& link : log.links) {
        if (link.index >= one.count) break;
        if (!link.within_block || link.block == reader) next.push_back(link.acquired);
      }
    }
    open = std::move(next);
  }
  return false;
}

}  // namespace warpbook::vgpu
