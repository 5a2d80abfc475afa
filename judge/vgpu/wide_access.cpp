// Accesses whose elements do not fit the usual rows: 128-bit elements, vectors of eight or of four 64-bit elements (sm_100), and atomics on
// vectors. They are rare, so they go lane by lane and element by element. PTX promises atomicity of a vector atomic per element only.
#include <array>
#include <bit>
#include <cstring>

#include "judge/vgpu/access.hpp"
#include "judge/vgpu/warp.hpp"

namespace warpbook::vgpu {

namespace {

using Bytes16 = std::array<std::byte, 16>;

/// One lane's elements and where its registers are.
struct WideLane {
  const MemoryPlan& plan;
  const Registers& registers;
  int lane;
  std::byte* memory;

  std::byte* register_at(std::uint32_t row) const { return registers.base + row + static_cast<std::size_t>(lane) * plan.register_bytes; }
  void load() const {
    for (std::size_t i = 0; i < plan.vector; ++i) {
      if (plan.wide.dst[i] != kNoRegister) put(plan.wide.dst[i], memory + i * plan.element_bytes);
    }
  }
  void store() const {
    for (std::size_t i = 0; i < plan.vector; ++i)
      std::memcpy(memory + i * plan.element_bytes, register_at(plan.wide.src[i]), plan.element_bytes);
  }
  /// True when memory changed.
  bool atomic() const { return plan.element_bytes == sizeof(Bytes16) ? atomic_128() : atomic_vector(); }

 private:
  void put(std::uint32_t row, const std::byte* from) const {
    const bool negative = plan.sign_extend && (std::to_integer<int>(from[plan.element_bytes - 1]) & 0x80) != 0;
    std::memset(register_at(row), negative ? 0xFF : 0, plan.register_bytes);
    std::memcpy(register_at(row), from, plan.element_bytes);
  }
  bool atomic_128() const {
    Bytes16 old, b, c;
    std::memcpy(old.data(), memory, sizeof old);
    std::memcpy(b.data(), register_at(plan.wide.src[0]), sizeof b);
    const bool compares = plan.wide.src[1] != kNoRegister;  // cas
    if (compares) std::memcpy(c.data(), register_at(plan.wide.src[1]), sizeof c);
    const Bytes16 next = !compares ? b : old == b ? c : old;
    std::memcpy(memory, next.data(), sizeof next);
    if (plan.wide.dst[0] != kNoRegister) std::memcpy(register_at(plan.wide.dst[0]), old.data(), sizeof old);
    return next != old;
  }
  bool atomic_vector() const {
    bool changed = false;
    for (std::size_t i = 0; i < plan.vector; ++i) {
      std::uint64_t old = 0, operand = 0;
      std::byte* at = memory + i * plan.element_bytes;
      std::memcpy(&old, at, plan.element_bytes);
      std::memcpy(&operand, register_at(plan.wide.src[i]), plan.element_bytes);
      const std::uint64_t next = plan.atomic(old, operand, 0);
      std::memcpy(at, &next, plan.element_bytes);
      if (plan.wide.dst[i] != kNoRegister) put(plan.wide.dst[i], reinterpret_cast<const std::byte*>(&old));
      changed = changed || next != old;
    }
    return changed;
  }
};

}  // namespace

void Warp::move_wide(const Access& access, const Move& move) {
  for (LaneMask left = move.active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const WideLane wide{access.plan, move.registers, lane, move.at(lane)};
    if (access.plan.atomic != nullptr) {
      if (wide.atomic()) ++context_.changes;
    } else if (access.writes) {
      wide.store();
      ++context_.changes;
    } else {
      wide.load();
    }
  }
}

}  // namespace warpbook::vgpu
