#include "judge/vgpu/exchange.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace warpbook::vgpu {

namespace {

using ptx::AtomOp;
using ptx::Opcode;
using ptx::ShuffleMode;
using ptx::VoteMode;

using Words = std::array<std::uint32_t, kWarpSize>;
constexpr std::uint32_t kLaneBits = 31;

LaneMask bit(int lane) { return LaneMask{1} << lane; }

template <class Use>
void for_each_lane(LaneMask lanes, const Use& use) {
  for (; lanes != 0; lanes &= lanes - 1) use(std::countr_zero(lanes));
}

template <class T>
std::array<T, kWarpSize> gather(std::span<const Participant> participants, int source) {
  std::array<T, kWarpSize> values{};
  if (participants.size() == 1) {  // the usual case; lanes that are not present are not looked at
    const T* row = participants.front().registers.row<T>(participants.front().step->src[source]);
    std::copy(row, row + kWarpSize, values.begin());
    return values;
  }
  for (const Participant& participant : participants) {
    const T* row = participant.registers.row<T>(participant.step->src[source]);
    for_each_lane(participant.lanes, [&](int lane) { values[static_cast<std::size_t>(lane)] = row[lane]; });
  }
  return values;
}

LaneMask gather_predicate(std::span<const Participant> participants, int source) {
  LaneMask values = 0;
  for (const Participant& participant : participants) {
    LaneMask value = participant.registers.predicate(participant.step->src[source]);
    if ((participant.step->source_negated >> source & 1u) != 0) value = ~value;
    values |= value & participant.lanes;
  }
  return values;
}

void scatter(std::span<const Participant> participants, int destination, const Words& values) {
  for (const Participant& participant : participants) {
    if (participant.step->dst[destination] == kNoRegister) continue;
    std::uint32_t* row = participant.registers.row<std::uint32_t>(participant.step->dst[destination]);
    if (participant.lanes == kAllLanes) {
      std::copy(values.begin(), values.end(), row);
      continue;
    }
    for_each_lane(participant.lanes, [&](int lane) { row[lane] = values[static_cast<std::size_t>(lane)]; });
  }
}

void scatter_predicate(std::span<const Participant> participants, int destination, LaneMask values) {
  for (const Participant& participant : participants) {
    if (participant.step->dst[destination] == kNoRegister) continue;
    LaneMask& to = participant.registers.predicate(participant.step->dst[destination]);
    to = (to & ~participant.lanes) | (values & participant.lanes);
  }
}

const Step* step_of_lane(std::span<const Participant> participants, int lane) {
  for (const Participant& participant : participants) {
    if ((participant.lanes & bit(lane)) != 0) return participant.step;
  }
  return participants.front().step;
}

/// Where the lanes of a shuffle read, and which of them are in range (PTX manual, shfl.sync). c holds the clamp in bits 0-4 and the segment
/// mask in bits 8-12; a lane out of range keeps its own value.
template <ShuffleMode kMode>
LaneMask shuffle_sources(const Words& b, const Words& c, Words& source) {
  std::array<std::uint32_t, kWarpSize> inside;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint32_t segment = c[lane] >> 8 & kLaneBits, clamp = c[lane] & kLaneBits, offset = b[lane] & kLaneBits;
    const auto last = static_cast<std::int32_t>((lane & segment) | (clamp & ~segment));
    std::int32_t from = 0;
    if constexpr (kMode == ShuffleMode::kUp) from = static_cast<std::int32_t>(lane) - static_cast<std::int32_t>(offset);
    if constexpr (kMode == ShuffleMode::kDown) from = static_cast<std::int32_t>(lane + offset);
    if constexpr (kMode == ShuffleMode::kBfly) from = static_cast<std::int32_t>(lane ^ offset);
    if constexpr (kMode == ShuffleMode::kIdx) from = static_cast<std::int32_t>((lane & segment) | (offset & ~segment));
    inside[lane] = (kMode == ShuffleMode::kUp ? from >= last : from <= last) ? 1 : 0;
    source[lane] = inside[lane] != 0 ? static_cast<std::uint32_t>(from) : lane;
  }
  LaneMask in_range = 0;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) in_range |= inside[lane] << lane;
  return in_range;
}

LaneMask shuffle_sources(ShuffleMode mode, const Words& b, const Words& c, Words& source) {
  switch (mode) {
    case ShuffleMode::kUp: return shuffle_sources<ShuffleMode::kUp>(b, c, source);
    case ShuffleMode::kDown: return shuffle_sources<ShuffleMode::kDown>(b, c, source);
    case ShuffleMode::kBfly: return shuffle_sources<ShuffleMode::kBfly>(b, c, source);
    default: return shuffle_sources<ShuffleMode::kIdx>(b, c, source);
  }
}

std::optional<AbsentRead> shuffle(std::span<const Participant> participants, LaneMask present) {
  const Words a = gather<std::uint32_t>(participants, 0), b = gather<std::uint32_t>(participants, 1),
              c = gather<std::uint32_t>(participants, 2);
  Words source, result;
  const LaneMask in_range = shuffle_sources(participants.front().step->instruction->mod.shuffle, b, c, source);
  if (present != kAllLanes) {
    for (LaneMask left = present; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const auto from = static_cast<int>(source[static_cast<std::size_t>(lane)]);
      if ((present & bit(from)) == 0) return AbsentRead{lane, from, step_of_lane(participants, lane)};
    }
  }
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) result[lane] = a[source[lane] & kLaneBits];
  scatter(participants, 0, result);
  scatter_predicate(participants, 1, in_range);
  return std::nullopt;
}

void vote(std::span<const Participant> participants, LaneMask present) {
  const LaneMask yes = gather_predicate(participants, 0);
  const VoteMode mode = participants.front().step->instruction->mod.vote;
  if (mode == VoteMode::kBallot) {
    Words result;
    result.fill(yes);
    scatter(participants, 0, result);
    return;
  }
  bool answer = false;
  if (mode == VoteMode::kAll) answer = yes == present;
  if (mode == VoteMode::kAny) answer = yes != 0;
  if (mode == VoteMode::kUni) answer = yes == present || yes == 0;
  scatter_predicate(participants, 0, answer ? kAllLanes : 0);
}

template <class T>
void match(std::span<const Participant> participants, LaneMask mask, LaneMask present) {
  const std::array<T, kWarpSize> values = gather<T>(participants, 0);
  Words result{};
  bool all_equal = true;
  const T first = values[static_cast<std::size_t>(std::countr_zero(present))];
  for_each_lane(present, [&](int lane) {
    const T mine = values[static_cast<std::size_t>(lane)];
    all_equal = all_equal && mine == first;
    LaneMask same = 0;
    for_each_lane(present, [&](int other) { same |= values[static_cast<std::size_t>(other)] == mine ? bit(other) : 0; });
    result[static_cast<std::size_t>(lane)] = same;
  });
  if (participants.front().step->instruction->mod.vote == VoteMode::kAll) {
    result.fill(all_equal ? mask & present : 0);
    scatter_predicate(participants, 1, all_equal ? kAllLanes : 0);
  }
  scatter(participants, 0, result);
}

std::uint32_t reduced(AtomOp op, bool is_signed, std::uint32_t a, std::uint32_t b) {
  const auto less = [&](std::uint32_t x, std::uint32_t y) {
    return is_signed ? static_cast<std::int32_t>(x) < static_cast<std::int32_t>(y) : x < y;
  };
  switch (op) {
    case AtomOp::kAdd: return a + b;
    case AtomOp::kMin: return less(b, a) ? b : a;
    case AtomOp::kMax: return less(a, b) ? b : a;
    case AtomOp::kAnd: return a & b;
    case AtomOp::kOr: return a | b;
    case AtomOp::kXor: return a ^ b;
    default: return a;
  }
}

/// redux of floats: a number wins over NaNs, but with .NaN a NaN over numbers; -0 is below +0.
std::uint32_t reduced_float(const ptx::Modifiers& mod, std::uint32_t a, std::uint32_t b) {
  constexpr std::uint32_t kCanonical = 0x7FFFFFFFu;
  const auto x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
  if (x != x || y != y) {
    if (mod.nan || (x != x && y != y)) return kCanonical;
    return x != x ? b : a;
  }
  const bool below = x < y || (x == y && a >> 31 != 0);
  return below == (mod.atom == AtomOp::kMin) ? a : b;
}

void reduce_float(std::span<const Participant> participants, LaneMask present) {
  Words values = gather<std::uint32_t>(participants, 0);
  const ptx::Modifiers& mod = participants.front().step->instruction->mod;
  if (mod.abs) {
    for (std::uint32_t& value : values) value &= 0x7FFFFFFFu;
  }
  std::uint32_t total = values[static_cast<std::size_t>(std::countr_zero(present))];
  total = reduced_float(mod, total, total);  // of one lane, too, a NaN is the canonical one
  for_each_lane(present & (present - 1), [&](int lane) { total = reduced_float(mod, total, values[static_cast<std::size_t>(lane)]); });
  Words result;
  result.fill(total);
  scatter(participants, 0, result);
}

void reduce(std::span<const Participant> participants, LaneMask present) {
  if (ptx::is_float(participants.front().step->instruction->types.front())) return reduce_float(participants, present);
  const Words values = gather<std::uint32_t>(participants, 0);
  const ptx::Instruction& instruction = *participants.front().step->instruction;
  const bool is_signed = ptx::is_signed(instruction.types.front());
  std::uint32_t total = values[static_cast<std::size_t>(std::countr_zero(present))];
  for_each_lane(present & (present - 1),
                [&](int lane) { total = reduced(instruction.mod.atom, is_signed, total, values[static_cast<std::size_t>(lane)]); });
  Words result;
  result.fill(total);
  scatter(participants, 0, result);
}

void elect(std::span<const Participant> participants, LaneMask present) {
  const int leader = std::countr_zero(present);
  Words result;
  result.fill(static_cast<std::uint32_t>(leader));
  scatter(participants, 0, result);
  scatter_predicate(participants, 1, bit(leader));
}

}  // namespace

std::array<std::uint32_t, kWarpSize> shuffle_sources(std::span<const Participant> participants) {
  const Words b = gather<std::uint32_t>(participants, 1), c = gather<std::uint32_t>(participants, 2);
  Words source{};
  shuffle_sources(participants.front().step->instruction->mod.shuffle, b, c, source);
  return source;
}

std::optional<AbsentRead> run_exchange(std::span<const Participant> participants, LaneMask mask, LaneMask present) {
  const ptx::Instruction& instruction = *participants.front().step->instruction;
  switch (instruction.op) {
    case Opcode::kShfl: return shuffle(participants, present);
    case Opcode::kVote: vote(participants, present); break;
    case Opcode::kMatch:
      if (ptx::bits_of(instruction.types.front()) == 64) match<std::uint64_t>(participants, mask, present);
      else match<std::uint32_t>(participants, mask, present);
      break;
    case Opcode::kRedux: reduce(participants, present); break;
    case Opcode::kElect: elect(participants, present); break;
    default: break;  // bar.warp.sync: meeting was all
  }
  return std::nullopt;
}

}  // namespace warpbook::vgpu
