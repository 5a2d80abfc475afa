#include "judge/vgpu/async_copies.hpp"

#include <algorithm>
#include <bit>

namespace warpbook::vgpu {

void AsyncCopies::clear() {
  for (auto& copy : under_way_) spare_.push_back(std::move(copy));
  under_way_.clear();
  numbers_.clear();
  signals_.clear();
  std::fill(std::begin(open_group_), std::end(open_group_), 0u);
  begun_ = 0;
}

AsyncCopy& AsyncCopies::begin(LaneMask lanes) {
  if (spare_.empty()) {
    under_way_.push_back(std::make_unique<AsyncCopy>());
  } else {
    under_way_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
  numbers_.push_back(begun_++);
  AsyncCopy& copy = *under_way_.back();
  copy.lanes = lanes;
  std::copy(std::begin(open_group_), std::end(open_group_), copy.group);
  return copy;
}

void AsyncCopies::commit(LaneMask lanes) {
  for (; lanes != 0; lanes &= lanes - 1) ++open_group_[std::countr_zero(lanes)];
}

LaneMask AsyncCopies::due(const AsyncCopy& copy, LaneMask lanes, std::uint32_t kept) const {
  LaneMask found = 0;
  for (LaneMask left = lanes & copy.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if (std::uint64_t{copy.group[lane]} + kept < open_group_[lane]) found |= LaneMask{1} << lane;
  }
  return found;
}

bool AsyncCopies::take_signal(Address mbarrier, CopySignal& signal) {
  const auto found = std::find_if(signals_.begin(), signals_.end(), [&](const CopySignal& each) { return each.mbarrier == mbarrier; });
  if (found == signals_.end()) return false;
  signal = *found;
  signals_.erase(found);
  return true;
}

std::size_t AsyncCopies::count_before(std::uint64_t copies) const {
  return static_cast<std::size_t>(std::lower_bound(numbers_.begin(), numbers_.end(), copies) - numbers_.begin());
}

void AsyncCopies::sweep() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < under_way_.size(); ++i) {
    if (under_way_[i]->lanes == 0) {
      spare_.push_back(std::move(under_way_[i]));
      continue;
    }
    if (kept != i) {
      under_way_[kept] = std::move(under_way_[i]);
      numbers_[kept] = numbers_[i];
    }
    ++kept;
  }
  under_way_.resize(kept);
  numbers_.resize(kept);
}

void WordsInFlight::clear() {
  if (count_ != 0) std::fill(copies_.begin(), copies_.end(), std::uint8_t{0});
  count_ = 0;
}

void WordsInFlight::add(Address at, std::uint32_t bytes) {
  const std::uint64_t last = (at + bytes - 1) / kWord;
  if (last >= copies_.size()) copies_.resize(last + 1);
  for (std::uint64_t word = at / kWord; word <= last; ++word, ++count_) ++copies_[word];
}

void WordsInFlight::remove(Address at, std::uint32_t bytes) {
  for (std::uint64_t word = at / kWord; word <= (at + bytes - 1) / kWord; ++word, --count_) --copies_[word];
}

bool WordsInFlight::touches(Address at, std::uint32_t bytes) const {
  for (std::uint64_t word = at / kWord; word <= (at + bytes - 1) / kWord && word < copies_.size(); ++word) {
    if (copies_[word] != 0) return true;
  }
  return false;
}

}  // namespace warpbook::vgpu
