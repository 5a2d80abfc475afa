#include "judge/vgpu/watch/race_shadow.hpp"

#include <algorithm>
#include <bit>

namespace warpbook::vgpu {

namespace {

constexpr int kKeptEvents = 32;  ///< that a page keeps when there is room for no more

/// What a piece of `bytes` takes of malloc: eight bytes of account, multiples of sixteen.
std::uint64_t allocated(std::uint64_t bytes) { return (bytes + 8 + 15) / 16 * 16; }

}  // namespace

void RacePage::make(RaceKind kind) { marks_[kind] = std::make_unique<RaceMark[]>(cells()); }

void RacePage::cut(int to) {
  const std::size_t parts = std::size_t{1} << (shift_ - to);
  const std::size_t before = cells();
  shift_ = static_cast<std::uint8_t>(to);
  for (std::unique_ptr<RaceMark[]>& marks : marks_) {
    if (marks == nullptr) continue;
    auto finer = std::make_unique_for_overwrite<RaceMark[]>(cells());
    for (std::size_t cell = 0; cell < before; ++cell) std::fill_n(finer.get() + cell * parts, parts, marks[cell]);
    marks = std::move(finer);
  }
}

unsigned RacePage::find_event(RaceStamp event) {
  if (event.time == newest_) {
    for (std::uint64_t left = used_; left != 0; left &= left - 1) {
      const auto number = static_cast<unsigned>(std::countr_zero(left));
      if (events_[number].time == event.time && events_[number].who == event.who) return number;
    }
  }
  if (std::popcount(used_) + 1 >= kRaceEvents) drop_events();
  const auto free = static_cast<unsigned>(std::countr_one(used_ | 1u));
  if (free >= room_) {
    auto more = std::make_unique_for_overwrite<RaceStamp[]>(std::size_t{2} * room_);
    std::copy_n(events_, room_, more.get());
    more_ = std::move(more);
    events_ = more_.get();
    room_ = static_cast<std::uint8_t>(2 * room_);
  }
  events_[free] = event;
  used_ |= std::uint64_t{1} << free;
  newest_ = event.time;
  return free;
}

/// Makes room: first by what no cell mentions any more, then by the oldest.
void RacePage::drop_events() {
  std::uint64_t mentioned = 0;
  for (const std::unique_ptr<RaceMark[]>& marks : marks_) {
    if (marks == nullptr) continue;
    for (std::size_t cell = 0; cell < cells(); ++cell) mentioned |= std::uint64_t{1} << (marks[cell] >> kRaceMarkShift);
  }
  used_ &= mentioned;
  if (std::popcount(used_) <= kKeptEvents) return;
  std::vector<std::uint8_t> numbers;
  for (std::uint64_t left = used_; left != 0; left &= left - 1) numbers.push_back(static_cast<std::uint8_t>(std::countr_zero(left)));
  std::sort(numbers.begin(), numbers.end(), [&](std::uint8_t a, std::uint8_t b) { return events_[a].time > events_[b].time; });
  for (std::size_t i = kKeptEvents; i < numbers.size(); ++i) used_ &= ~(std::uint64_t{1} << numbers[i]);
  for (const std::unique_ptr<RaceMark[]>& marks : marks_) {
    if (marks == nullptr) continue;
    for (std::size_t cell = 0; cell < cells(); ++cell) {
      if ((used_ >> (marks[cell] >> kRaceMarkShift) & 1u) == 0) marks[cell] = 0;
    }
  }
}

void RacePage::forget() {
  for (const std::unique_ptr<RaceMark[]>& marks : marks_) {
    if (marks != nullptr) std::fill_n(marks.get(), cells(), RaceMark{0});
  }
  used_ = 0;
  newest_ = 0;
}

std::uint64_t RacePage::held_bytes() const {
  std::uint64_t held = more_ == nullptr ? 0 : allocated(room_ * sizeof(RaceStamp));
  for (const std::unique_ptr<RaceMark[]>& marks : marks_) held += marks == nullptr ? 0 : allocated(cells() * sizeof(RaceMark));
  return held;
}

RaceShadow::RaceShadow(Address base, std::uint64_t bytes)
    : first_(base >> kRacePageBits), groups_((((base + bytes) >> kRacePageBits) - first_) / kGroupPages + 1) {}

std::uint64_t RaceShadow::held_bytes() const {
  std::uint64_t held = allocated(groups_.size() * sizeof(groups_[0]));
  for (const std::unique_ptr<Group>& group : groups_) {
    if (group == nullptr) continue;
    held += allocated(sizeof(Group));
    for (const RacePage& page : *group) held += page.held_bytes();
  }
  return held;
}

}  // namespace warpbook::vgpu
