#include "judge/vgpu/line_meters.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "judge/vgpu/demangle.hpp"
#include "judge/vgpu/faults.hpp"

namespace warpbook::vgpu {

namespace {

using device::kSectorBits, device::kSectorBytes;
constexpr std::uint64_t kBitsPerWord = 64;

void mark(std::vector<std::uint64_t>& bits, std::uint64_t sector) {
  bits[sector / kBitsPerWord] |= std::uint64_t{1} << sector % kBitsPerWord;
}

std::uint64_t bytes_of(const std::vector<std::uint64_t>& bits) {
  std::uint64_t sectors = 0;
  for (const std::uint64_t word : bits) sectors += static_cast<std::uint64_t>(std::popcount(word));
  return sectors * kSectorBytes;
}

bool same_lines(const std::vector<device::Frame>& a, const std::vector<device::Frame>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const device::Frame& x, const device::Frame& y) { return x.line == y.line && x.file == y.file; });
}

}  // namespace

void LineMeters::executed(const Step& step, std::int32_t number, LaneMask active, LaneMask mask) {
  device::Counters& here = at(step);
  ++here.warp_instructions;
  here.thread_instructions += static_cast<std::uint64_t>(std::popcount(active));
  if (step.kind == StepKind::kBarrier && active != 0) ++here.barriers;
  if (step.kind != StepKind::kBranch || step.guard == kNoRegister) return;
  const bool parted = active != 0 && active != mask && step.immediate != number + 1;
  ++(parted ? here.divergent_branches : here.uniform_branches);
}

void LineMeters::touch(const Access& access, const Region& region, LaneMask lanes) {
  Touched& touched = touched_[&region];
  const std::uint64_t first = region.base >> kSectorBits;
  const std::uint64_t words = ((region.end() >> kSectorBits) - first) / kBitsPerWord + 1;
  const auto note = [&](std::vector<std::uint64_t>& bits) {
    bits.resize(words);
    for (LaneMask left = lanes; left != 0; left &= left - 1) mark(bits, (access.address[std::countr_zero(left)] >> kSectorBits) - first);
  };
  if (access.reads || access.plan.atomic != nullptr) note(touched.loaded);
  if (access.writes) note(touched.stored);
}

void LineMeters::keep(const Access& access, std::uint32_t count, std::uint32_t ideal, const LaunchContext& context) {
  Kept& kept = heaviest_[access.step.site];
  if (kept.example == nullptr) kept.example = std::make_unique<device::AccessExample>();
  device::AccessExample& e = *kept.example;
  e.shared = access.space == ptx::Space::kShared;
  e.reads = access.reads;
  e.writes = access.writes;
  e.atomic = access.plan.atomic != nullptr;
  e.bytes = access.bytes;
  e.lanes = access.active;
  e.count = count;
  e.ideal = ideal;
  kept.weight = e.weight();
  const Address first = access.address[access.first_lane()];
  const Region* region = e.shared ? nullptr : context.memory.find(first);
  for (const Region& variable : context.shared_regions)
    if (e.shared && variable.holds(first, access.bytes)) region = &variable;
  const Address base = region == nullptr ? 0 : region->base;
  e.tensor = region == nullptr ? "" : e.shared ? variable_name(region->name) : region->name;
  e.phase = static_cast<std::uint32_t>(base % (e.shared ? device::kBankRowBytes : device::kSectorBytes));
  e.at.fill(0);
  for (LaneMask left = access.active; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    e.at[lane] = static_cast<std::int64_t>(access.address[lane] - base);
  }
}

void LineMeters::add_to(device::KernelMeters& kernel) const {
  for (const auto& [region, touched] : touched_) {
    kernel.compulsory_read_bytes += bytes_of(touched.loaded);
    kernel.compulsory_write_bytes += bytes_of(touched.stored);
  }
  // By location first: many steps share one, and its text is made once.
  std::map<std::int32_t, device::LineMeters> by_location;
  for (const ProgramFunction& function : program_.functions) {
    for (const Step& step : function.steps) {
      const device::Counters& counted = sites_[step.site];
      if (counted.warp_instructions == 0) continue;
      device::LineMeters& at = by_location[step.instruction == nullptr ? function.source->location : step.instruction->location];
      at.counters += counted;
      if (const Kept& kept = heaviest_[step.site]; kept.example != nullptr) at.offer(*kept.example);
    }
  }
  for (auto& [location, counted] : by_location) {
    std::vector<device::Frame> frames = source_frames(program_.module(), location);
    auto row = std::find_if(kernel.lines.begin(), kernel.lines.end(),
                            [&](const device::LineMeters& line) { return same_lines(line.frames, frames); });
    if (row == kernel.lines.end()) row = kernel.lines.insert(row, {std::move(frames), {}});
    row->counters += counted.counters;
    for (const device::AccessExample& example : counted.examples) row->offer(example);
  }
}

}  // namespace warpbook::vgpu
