#include "judge/tests/ptx/golden/builder.hpp"

#include <fmt/format.h>

#include <cstring>

namespace warpbook::golden {
namespace {

constexpr int kSlotBytes = 16, kSlots = 8;  // of an operand, and operands of a thread

std::string load(const Held& to, const std::string& address) {
  switch (to.bits) {
    case 1: return fmt::format("ld.global.u8 %r1, [{}];\nsetp.ne.u32 {}, %r1, 0;\n", address, to.reg);
    case 128: return fmt::format("ld.global.v2.b64 {{%d8, %d9}}, [{}];\nmov.b128 {}, {{%d8, %d9}};\n", address, to.reg);
    default: return fmt::format("ld.global.b{} {}, [{}];\n", to.bits, to.reg, address);
  }
}

std::string store(const Held& from, const std::string& address) {
  switch (from.bits) {
    case 1: return fmt::format("selp.u32 %r1, 1, 0, {};\nst.global.u8 [{}], %r1;\n", from.reg, address);
    case 128: return fmt::format("mov.b128 {{%d8, %d9}}, {};\nst.global.v2.b64 [{}], {{%d8, %d9}};\n", from.reg, address);
    default: return fmt::format("st.global.b{} [{}], {};\n", from.bits, address, from.reg);
  }
}

std::string untouched(const Held& held) {
  switch (held.bits) {
    case 1: return fmt::format("and.b32 %r1, %r0, 1;\nsetp.ne.u32 {}, %r1, 0;\n", held.reg);
    case 16: return fmt::format("mov.b16 {}, 0xA5A5;\n", held.reg);
    case 32: return fmt::format("mov.b32 {}, 0xA5A5A5A5;\n", held.reg);
    case 64: return fmt::format("mov.b64 {}, 0xA5A5A5A5A5A5A5A5;\n", held.reg);
    default: return fmt::format("mov.b64 %d8, 0xA5A5A5A5A5A5A5A5;\nmov.b128 {}, {{%d8, %d8}};\n", held.reg);
  }
}

/// Each line of `instructions` with a guard before it.
std::string guarded(const std::string& guard, const std::string& instructions) {
  std::string text;
  for (std::size_t at = 0; at < instructions.size();) {
    const std::size_t end = std::min(instructions.find('\n', at), instructions.size());
    if (end > at) text += fmt::format("{} {}\n", guard, instructions.substr(at, end - at));
    at = end + 1;
  }
  return text;
}

}  // namespace

Held held(int bits, int index) {
  const char* kind = bits == 1 ? "p" : bits <= 16 ? "h" : bits == 32 ? "r" : bits == 64 ? "d" : "q";
  return {fmt::format("%{}{}", kind, index), bits == 8 ? 16 : bits};
}

Held held(ptx::Type type, int index) {
  const int bits = ptx::bits_of(type);
  return held(bits == 8 ? 32 : bits, index);
}

std::string braced(const std::vector<std::string>& parts) {
  if (parts.size() == 1) return parts.front();
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

Builder::Builder(std::string key, int threads) : key_(std::move(key)), threads_(threads) {
  input_.resize(static_cast<std::size_t>(threads) * kSlots * kSlotBytes);
}

Builder& Builder::line(std::string text) {
  lines_ += text + "\n";
  return *this;
}

Builder& Builder::module(std::string text) {
  module_ += text + "\n";
  return *this;
}

Held Builder::fetch(int bits, const std::vector<std::uint64_t>& values) {
  const Held to = held(bits, next_register_++);
  const int slot = slots_++;
  for (int lane = 0; lane < threads_; ++lane) {
    const std::uint64_t value = values[static_cast<std::size_t>(lane) % values.size()];
    std::uint64_t both[2] = {value, bits == 128 ? mixed(value) : mixed(value + static_cast<std::uint64_t>(slot))};
    if (bits == 1) both[0] = value & 1;
    std::memcpy(&input_[static_cast<std::size_t>((lane * kSlots + slot) * kSlotBytes)], both, sizeof both);
  }
  lines_ += load(to, fmt::format("%d3+{}", slot * kSlotBytes));
  return to;
}

Held Builder::fetch(ptx::Type type, ptx::Type first, bool amount) {
  std::vector<std::uint64_t> values;
  for (int lane = 0; lane < threads_; ++lane) {
    std::uint64_t value = operand(type, slots_, lane, first, amount);
    // What stands above an 8-bit value in its register must not matter.
    if (ptx::bits_of(type) == 8) value |= mixed(value + static_cast<std::uint64_t>(lane)) << 8;
    values.push_back(value);
  }
  return fetch(held(type, 0).bits, values);
}

Held Builder::result_of(int bits) {
  const Held to = held(bits, next_register_++);
  lines_ += untouched(to);
  results_.push_back(to);
  return to;
}

Held Builder::result(ptx::Type type) { return result_of(held(type, 0).bits); }

void Builder::three_ways(const std::string& instruction, const std::string& negated) {
  const int warps = threads_ / 32;
  line("mov.u32 %r2, %laneid;");
  line(fmt::format("shr.u32 %r1, {}, %r2;\nand.b32 %r1, %r1, 1;\nsetp.ne.u32 %p2, %r1, 0;", kSomeLanes));
  line(fmt::format("shr.u32 %r1, %r0, 5;\nsetp.eq.u32 %p0, %r1, {};\nsetp.eq.u32 %p1, %r1, {};", warps - 2, warps - 1));
  line("@%p0 bra BRANCHED;\n@%p1 bra GUARDED;");
  line(instruction).line("bra STORE;\nBRANCHED:\n@!%p2 bra STORE;");
  line(negated.empty() ? instruction : negated).line("bra STORE;\nGUARDED:");
  line(guarded("@%p2", instruction)).line("STORE:");
}

std::string Builder::own_output(int bytes) {
  output_bytes_ = static_cast<std::size_t>(bytes * threads_);
  lane_bytes_ = static_cast<std::size_t>(bytes);
  line(fmt::format("mad.wide.u32 %d4, %r0, {}, %d1;", bytes));
  return "%d4";
}

std::string Builder::unique(std::string_view stem) { return fmt::format("{}_{}", stem, kNamePlace); }

Kernel Builder::finish() {
  for (const Held& held : results_) {
    const int bytes = held.bits == 1 ? 1 : held.bits / 8;
    line(fmt::format("mad.wide.u32 %d5, %r0, {}, %d1;", bytes));
    lines_ += store(held, fmt::format("%d5+{}", output_bytes_));
    output_bytes_ += static_cast<std::size_t>(bytes * threads_);  // threads come by 32: what follows is aligned
    if (lane_bytes_ == 0 && results_.size() == 1) lane_bytes_ = static_cast<std::size_t>(bytes);
  }
  Kernel kernel;
  kernel.key = key_;
  kernel.module = module_;
  kernel.threads = threads_;
  kernel.body =
      ".reg .pred %p<64>;\n.reg .b16 %h<64>;\n.reg .b32 %r<64>;\n.reg .b64 %d<64>;\n.reg .b128 %q<64>;\n"
      "ld.param.u64 %d0, [in];\nld.param.u64 %d1, [out];\ncvta.to.global.u64 %d0, %d0;\ncvta.to.global.u64 %d1, %d1;\n"
      "mov.u32 %r0, %tid.x;\n" +
      fmt::format("mad.wide.u32 %d3, %r0, {}, %d0;\n", kSlots * kSlotBytes) + lines_ + "ret;\n";
  kernel.input = std::move(input_);
  kernel.output_bytes = output_bytes_;
  kernel.lane_bytes = lane_bytes_;
  return kernel;
}

}  // namespace warpbook::golden
