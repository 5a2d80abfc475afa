#include "judge/vgpu/watch/race_shadow.hpp"

#include <algorithm>

namespace warpbook::vgpu {

void RaceCells::make(std::size_t count) {
  data_ = std::make_unique_for_overwrite<std::uint32_t[]>(2 * count);
  count_ = count;
  forget();
}

void RaceCells::forget() {
  if (data_ != nullptr) std::fill_n(times(), count_, RaceTime{0});
}

void RaceCells::refine(std::size_t count) {
  if (data_ == nullptr) return;
  RaceCells finer;
  finer.make(count);
  const std::size_t parts = count / count_;
  for (std::size_t cell = 0; cell < count; ++cell) finer.set(cell, at(cell / parts));
  *this = std::move(finer);
}

void RacePage::refine(int to) {
  if (to >= shift) return;
  shift = to;
  for (RaceCells* each : {&writes, &reads, &others}) each->refine(cells());
}

void RacePage::forget() {
  for (RaceCells* each : {&writes, &reads, &others}) each->forget();
}

RaceShadow::RaceShadow(Address base, std::uint64_t bytes)
    : first_(base >> kRacePageBits), groups_((((base + bytes) >> kRacePageBits) - first_) / kGroupPages + 1) {}

}  // namespace warpbook::vgpu
