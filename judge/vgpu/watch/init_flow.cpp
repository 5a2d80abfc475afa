// Registers: how undefined bytes travel through instructions, and where they must not arrive.
//
// The rule for arithmetic is short: one undefined byte in, everything undefined out. Instructions that only carry bytes around (moves,
// packing, shifts by whole bytes, masks, selections) are followed byte by byte, because compilers use them to copy structs and to take
// halves and characters apart.
#include <algorithm>
#include <bit>

#include "judge/vgpu/block.hpp"
#include "judge/vgpu/warp.hpp"
#include "judge/vgpu/watch/init_watch.hpp"

namespace warpbook::vgpu {

namespace {

using ptx::Opcode;

int bytes_of(ptx::Type type) { return std::max(1, ptx::bits_of(type) / 8); }

std::uint8_t byte_mask(const Taint::Row* row, std::size_t lane) { return row == nullptr ? std::uint8_t{0} : row->bytes[lane]; }

/// The value of an integer source, zero-extended.
std::uint64_t value_of(const Registers& registers, std::uint32_t offset, int bytes, std::size_t lane) {
  switch (bytes) {
    case 8: return registers.row<std::uint64_t>(offset)[lane];
    case 4: return registers.row<std::uint32_t>(offset)[lane];
    default: return registers.row<std::uint16_t>(offset)[lane];
  }
}

/// Undefined bytes of `x op y` for and, or: a byte that the other side decides alone (0 for and, 0xFF for or) is defined.
std::uint8_t masked(std::uint8_t x, std::uint8_t y, std::uint64_t x_value, std::uint64_t y_value, std::uint64_t deciding) {
  std::uint8_t out = 0;
  for (int byte = 0; byte < 8; ++byte) {
    const bool x_missing = (x >> byte & 1u) != 0, y_missing = (y >> byte & 1u) != 0;
    const bool x_decides = !x_missing && (x_value >> 8 * byte & 0xFFu) == (deciding & 0xFFu);
    const bool y_decides = !y_missing && (y_value >> 8 * byte & 0xFFu) == (deciding & 0xFFu);
    if ((x_missing && !y_decides) || (y_missing && !x_decides)) out |= static_cast<std::uint8_t>(1u << byte);
  }
  return out;
}

std::uint8_t shifted(std::uint8_t missing, std::uint64_t by, int bytes, Opcode op, bool is_signed) {
  const std::uint64_t whole = by / 8, most = static_cast<std::uint64_t>(bytes);
  const bool uneven = by % 8 != 0;
  const std::uint8_t width = low_bytes(bytes);
  if (op == Opcode::kShl) {
    if (whole >= most) return 0;
    const auto moved = static_cast<unsigned>(missing) << whole;
    return static_cast<std::uint8_t>((moved | (uneven ? moved << 1 : 0)) & width);
  }
  const bool sign_missing = is_signed && (missing >> (bytes - 1) & 1) != 0;
  const unsigned filled = sign_missing ? (static_cast<unsigned>(missing) | 0xFFu << bytes) & 0xFFFFu : missing;
  if (whole >= most) return sign_missing ? width : 0;
  const unsigned moved = filled >> whole;
  return static_cast<std::uint8_t>((moved | (uneven ? filled >> (whole + 1) | moved : 0)) & width);
}

}  // namespace

bool InitWatch::uses(const Actor& actor, LaneMask active, LaneMask mask) {
  const Step& step = actor.step;
  switch (step.kind) {
    case StepKind::kBranch:
    case StepKind::kReturn:
    case StepKind::kExit: return use(actor, step.guard, mask, "a branch depends on an undefined value");
    case StepKind::kIndirectBranch:
    case StepKind::kCall:
      return use(actor, step.guard, mask, "a branch depends on an undefined value") &&
             use(actor, step.src[0], active, "where to go on is taken from an undefined value");
    case StepKind::kMemory: {
      const MemoryPlan& plan = actor.frame.function->memory_plans[static_cast<std::size_t>(step.plan)];
      if (plan.action == MemoryAction::kCopyAsync && !use(actor, step.src[1], active, "an address is computed from an undefined value"))
        return false;
      return use(actor, step.src[0], active, "an address is computed from an undefined value");
    }
    case StepKind::kBarrier:
      for (const std::uint32_t source : step.src) {
        if (!use(actor, source, active, "a barrier is given an undefined value")) return false;
      }
      return true;
    default: return true;
  }
}

void InitWatch::flow(const Frame& frame, const Step& step, LaneMask active) {
  Taint& taint = *frame.taint;
  std::array<const Taint::Row*, kMaxSources> from{};
  bool any = false;
  std::uint32_t origin = 0;
  for (std::size_t i = 0; i < kMaxSources; ++i) {
    if (step.src[i] == kNoRegister) continue;
    from[i] = taint.find(step.src[i]);
    if (from[i] == nullptr) continue;
    any = true;
    origin = from[i]->origin;
  }
  const Taint::Row* guard = step.guard == kNoRegister ? nullptr : taint.find(step.guard);
  if (guard != nullptr) {
    any = true;
    origin = guard->origin;
  }
  if (!any) {
    for (const std::uint32_t to : step.dst) {
      if (to != kNoRegister) taint.set_defined(to, active);
    }
    return;
  }
  const ptx::Instruction& instruction = *step.instruction;
  const Registers registers = frame.registers();
  const int width = instruction.types.empty() ? 8 : bytes_of(instruction.types.front());
  const int source_width = instruction.types.empty() ? 8 : bytes_of(instruction.types.back());
  std::array<ByteMasks, kMaxDestinations> out{};
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    const auto in = [&](std::size_t i) { return byte_mask(from[i], lane); };
    std::uint8_t result = 0;
    for (std::size_t i = 0; i < kMaxSources; ++i) result |= in(i);
    result = result != 0 ? kAllBytes : 0;
    bool per_destination = false;
    switch (instruction.op) {
      case Opcode::kMov:
        if (instruction.dst.front().kind == ptx::OperandKind::kVector) {  // unpack
          const int part = width / static_cast<int>(instruction.dst.front().elements.size());
          for (std::size_t d = 0; d < kMaxDestinations; ++d)
            out[d][lane] = static_cast<std::uint8_t>(in(0) >> (static_cast<int>(d) * part)) & low_bytes(part);
          per_destination = true;
        } else if (instruction.src.front().kind == ptx::OperandKind::kVector) {  // pack
          const int part = width / static_cast<int>(instruction.src.front().elements.size());
          unsigned packed = 0;
          for (std::size_t i = 0; i < instruction.src.front().elements.size(); ++i)
            packed |= static_cast<unsigned>(in(i) & low_bytes(part)) << (static_cast<int>(i) * part);
          result = static_cast<std::uint8_t>(packed);
        } else {
          result = in(0);
        }
        break;
      case Opcode::kCvt:
        if (instruction.types.size() == 2 && !ptx::is_float(instruction.types[0]) && !ptx::is_float(instruction.types[1]) &&
            !instruction.mod.sat) {
          const std::uint8_t kept = in(0) & low_bytes(source_width);
          const bool sign = ptx::is_signed(instruction.types[1]) && (kept >> (source_width - 1) & 1) != 0;
          result = static_cast<std::uint8_t>(kept | (sign ? ~low_bytes(source_width) : 0)) & low_bytes(std::max(width, 2));
        }
        break;
      case Opcode::kAnd:
      case Opcode::kOr:
        if (width > 1) {
          result = masked(in(0), in(1), value_of(registers, step.src[0], width, lane), value_of(registers, step.src[1], width, lane),
                          instruction.op == Opcode::kAnd ? 0 : 0xFF) &
                   low_bytes(width);
        }
        break;
      case Opcode::kXor:
      case Opcode::kNot:
        if (width > 1) result = static_cast<std::uint8_t>(in(0) | in(1));
        break;
      case Opcode::kShl:
      case Opcode::kShr:
        if (in(1) == 0)
          result = shifted(in(0), value_of(registers, step.src[1], 4, lane), width, instruction.op, ptx::is_signed(instruction.types.front()));
        break;
      case Opcode::kSelp:
        if (in(2) == 0) {
          LaneMask chosen = registers.predicate(step.src[2]);
          if ((step.source_negated >> 2 & 1u) != 0) chosen = ~chosen;
          result = in((chosen >> lane & 1u) != 0 ? 0 : 1);
        }
        break;
      case Opcode::kPrmt:
        if (in(2) == 0 && instruction.mod.other.empty()) {
          const unsigned sources = static_cast<unsigned>(in(0) & 0xFu) | static_cast<unsigned>(in(1) & 0xFu) << 4;
          const std::uint64_t selector = value_of(registers, step.src[2], 4, lane);
          unsigned picked = 0;
          for (unsigned byte = 0; byte < 4; ++byte) picked |= (sources >> (selector >> 4 * byte & 7u) & 1u) << byte;
          result = static_cast<std::uint8_t>(picked);
        }
        break;
      default: break;
    }
    if (guard != nullptr && guard->bytes[lane] != 0) result = kAllBytes;
    if (!per_destination) {
      for (ByteMasks& each : out) each[lane] = result;
    }
  }
  for (std::size_t d = 0; d < kMaxDestinations; ++d) {
    if (step.dst[d] != kNoRegister) taint.set(step.dst[d], active, out[d], origin);
  }
}

bool InitWatch::exchange(const Actor& actor, std::span<const Participant> participants, LaneMask present) {
  const ptx::Instruction& instruction = *actor.step.instruction;
  const bool shuffle = instruction.op == Opcode::kShfl;
  ByteMasks given{};
  std::uint32_t origin = 0;
  for (const Participant& participant : participants) {
    const Actor here{actor.block, actor.warp, *participant.frame, *participant.step};
    Taint& taint = *participant.frame->taint;
    for (std::size_t i = 0; i < kMaxSources; ++i) {
      const Taint::Row* row = participant.step->src[i] == kNoRegister ? nullptr : taint.find(participant.step->src[i]);
      const LaneMask undefined = undefined_lanes(row, participant.lanes);
      if (undefined == 0) continue;
      const bool travels = shuffle && i == 0 && !origins_[row->origin].memory;
      if (!travels) {
        if (!report(here, *row, undefined, shuffle && i == 0 ? "an undefined value goes to other lanes" : "an undefined value decides for all lanes"))
          return false;
        continue;
      }
      origin = row->origin;
      for (LaneMask left = undefined; left != 0; left &= left - 1)
        given[static_cast<std::size_t>(std::countr_zero(left))] = row->bytes[static_cast<std::size_t>(std::countr_zero(left))];
    }
  }
  ByteMasks received{};
  if (shuffle) {
    const std::array<std::uint32_t, kWarpSize> source = shuffle_sources(participants);
    for (LaneMask left = present; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      received[lane] = given[source[lane] % kWarpSize];
    }
  }
  for (const Participant& participant : participants) {
    if (participant.step->dst[0] != kNoRegister) participant.frame->taint->set(participant.step->dst[0], participant.lanes, received, origin);
    if (participant.step->dst[1] != kNoRegister) participant.frame->taint->set_defined(participant.step->dst[1], participant.lanes);
  }
  return true;
}

}  // namespace warpbook::vgpu
