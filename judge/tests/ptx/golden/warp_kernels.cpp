// Kernels of the instructions in which lanes of a warp meet. The lanes that take part are all, those not branched away, or those not
// predicated off, and the mask says so; no lane reads one that does not take part.
#include <fmt/format.h>

#include "judge/tests/ptx/golden/kernels.hpp"

namespace warpbook::golden {
namespace {

using ptx::Opcode;
using ptx::ShuffleMode;
using ptx::Type;

constexpr int kThreads = 160;

/// `text` with `MASK` replaced.
std::string with_mask(std::string text, const std::string& mask) {
  for (std::size_t at = text.find("MASK"); at != std::string::npos; at = text.find("MASK")) text.replace(at, 4, mask);
  return text;
}

/// The instruction in the three ways, with the mask of those that take part.
void meet(Builder& k, const std::string& text) {
  const std::string some = fmt::format("{}", kSomeLanes);
  k.line("mov.u32 %r3, 0xFFFFFFFF;");
  k.line("shr.u32 %r1, %r0, 5;");
  k.line(fmt::format("setp.ge.u32 %p3, %r1, 3;\n@%p3 mov.u32 %r3, {};", some));
  k.three_ways(with_mask(text, "%r3"));
}

/// Lanes of kSomeLanes, the i-th of them.
int some_lane(int i) {
  for (int lane = 0;; lane = (lane + 1) % 32) {
    if ((kSomeLanes >> lane & 1) != 0 && i-- == 0) return lane;
  }
}

/// The lane operand and the c operand of thread t. In the last two warps only lanes that take part are read.
void shuffle_operands(ShuffleMode mode, int t, std::uint64_t& b, std::uint64_t& c) {
  const int warp = t / 32, lane = t % 32;
  const std::uint64_t limit = mode == ShuffleMode::kUp ? 0 : 31;
  const std::uint64_t random = mixed(static_cast<std::uint64_t>(t));
  constexpr std::uint64_t kSegments[] = {0, 24, 28, 16};  // none, of 8, of 4, of 16
  if (warp < 3) {
    c = kSegments[warp] << 8 | limit;
    b = warp == 0 ? random % 32 : (random % 64) | (random >> 20 & 3) * 0x40000000;
    if (mode == ShuffleMode::kBfly && warp < 2) b = warp == 0 ? 5 : 3;
    if (warp == 2 && lane % 4 == 3) c = random & 0x1F1F;  // any limit and segment
    return;
  }
  c = limit;
  // Which lane is read: itself, or another that takes part.
  const int target = (kSomeLanes >> lane & 1) != 0 ? some_lane(static_cast<int>(random % 17)) : lane;
  switch (mode) {
    case ShuffleMode::kIdx: b = static_cast<std::uint64_t>(target); break;
    case ShuffleMode::kUp: b = static_cast<std::uint64_t>(target <= lane ? lane - target : lane + 1); break;
    case ShuffleMode::kDown: b = static_cast<std::uint64_t>(target >= lane ? target - lane : 32 - lane); break;
    default: b = static_cast<std::uint64_t>(target ^ lane); break;
  }
}

Kernel shuffle_kernel(const Variant& variant) {
  Builder k(variant.spelling, kThreads);
  const Held a = k.fetch(Type::kB32, Type::kNone);
  std::vector<std::uint64_t> lanes, limits;
  for (int t = 0; t < kThreads; ++t) {
    std::uint64_t b = 0, c = 0;
    shuffle_operands(variant.matched.mod.shuffle, t, b, c);
    lanes.push_back(b);
    limits.push_back(c);
  }
  const Held b = k.fetch(32, lanes), c = k.fetch(32, limits), d = k.result_of(32), p = k.result_of(1);
  const std::string text = fmt::format("{} {}|{}, {}, {}, {}, MASK;", variant.spelling, d.reg, p.reg, a.reg, b.reg, c.reg);
  meet(k, text);
  return k.finish();
}

/// A predicate per thread: mixed, all true, all false, then mixed for the warps in which only some lanes vote.
std::vector<std::uint64_t> votes() {
  std::vector<std::uint64_t> values;
  for (int t = 0; t < kThreads; ++t) {
    const int warp = t / 32;
    values.push_back(warp == 1 ? 1 : warp == 2 ? 0 : warp == 3 ? 1 : mixed(static_cast<std::uint64_t>(t)) & 1);
  }
  return values;
}

std::vector<std::uint64_t> few_values(std::uint64_t scale) {
  std::vector<std::uint64_t> values;
  for (int t = 0; t < kThreads; ++t) {
    values.push_back(t / 32 == 1 || t / 32 == 3 ? 0x80000001u * scale : mixed(static_cast<std::uint64_t>(t)) % 4 * 0x7FFFFFFFu * scale);
  }
  return values;
}

}  // namespace

std::vector<Kernel> warp_kernels(const Variant& variant) {
  const std::string& name = variant.spelling;
  if (variant.entry->op == Opcode::kShfl) return {shuffle_kernel(variant)};
  Builder k(name, kThreads);
  switch (variant.entry->op) {
    case Opcode::kVote: {
      const Held p = k.fetch(1, votes()), d = k.result(variant.matched.types.front());
      const std::string text = fmt::format("{} {}, {}, MASK;", name, d.reg, p.reg);
      meet(k, text);
      break;
    }
    case Opcode::kMatch: {
      const Type type = variant.matched.types.front();
      const int bits = ptx::bits_of(type);
      const Held a = k.fetch(bits, few_values(bits == 64 ? 0x100000001u : 1)), d = k.result_of(32);
      const bool all = variant.matched.mod.vote == ptx::VoteMode::kAll;
      const std::string destination = all ? fmt::format("{}|{}", d.reg, k.result_of(1).reg) : d.reg;
      const std::string text = fmt::format("{} {}, {}, MASK;", name, destination, a.reg);
      meet(k, text);
      break;
    }
    case Opcode::kRedux: {
      const Held a = k.fetch(variant.matched.types.front(), Type::kNone), d = k.result_of(32);
      const std::string text = fmt::format("{} {}, {}, MASK;", name, d.reg, a.reg);
      meet(k, text);
      break;
    }
    case Opcode::kActivemask: {
      const Held d = k.result_of(32);
      k.three_ways(fmt::format("{} {};", name, d.reg));
      break;
    }
    case Opcode::kElect: {
      const Held d = k.result_of(32), p = k.result_of(1);
      const std::string text = fmt::format("{} {}|{}, MASK;", name, d.reg, p.reg);
      meet(k, text);
      break;
    }
    default: return {};
  }
  return {k.finish()};
}

}  // namespace warpbook::golden
