#include "judge/vgpu/rows.hpp"

#include <algorithm>
#include <cstring>

namespace warpbook::vgpu {

namespace {

constexpr std::uint32_t kRowAlignment = 64;

std::uint32_t aligned(std::size_t offset) {
  return static_cast<std::uint32_t>((offset + kRowAlignment - 1) / kRowAlignment * kRowAlignment);
}

template <class T>
void fill(std::byte* row, std::uint64_t bits) {
  T* lanes = reinterpret_cast<T*>(row);
  std::fill(lanes, lanes + kWarpSize, static_cast<T>(bits));
}

}  // namespace

int row_bytes(ptx::Type type) {
  const int bits = ptx::bits_of(type);
  if (bits <= 1) return 0;
  return std::max(bits / 8, 2);
}

void fill_row(std::byte* row, std::uint64_t bits, int bytes) {
  if (bytes == 8) {
    fill<std::uint64_t>(row, bits);
  } else if (bytes == 4) {
    fill<std::uint32_t>(row, bits);
  } else {
    fill<std::uint16_t>(row, bits);
  }
}

Rows::Rows(ProgramFunction& function) : function_(function) {
  const std::vector<ptx::Register>& declared = function.source->registers;
  registers_.resize(declared.size());
  std::uint32_t next = 0;
  carry_ = next;
  next += sizeof(LaneMask);
  for (std::size_t i = 0; i < declared.size(); ++i) {
    if (row_bytes(declared[i].type) != 0) continue;
    registers_[i] = next;
    next += sizeof(LaneMask);
  }
  next = aligned(next);
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const int bytes = row_bytes(declared[i].type);
    if (bytes == 0) continue;
    registers_[i] = next;
    next += static_cast<std::uint32_t>(bytes * kWarpSize);
  }
  function.register_bytes = next;
  function.frame_bytes = next;
}

std::uint32_t Rows::append(std::size_t bytes) {
  const std::uint32_t row = function_.frame_bytes;
  function_.frame_bytes = aligned(row + bytes);
  function_.constants.resize(function_.frame_bytes - function_.register_bytes);
  return row;
}

std::uint32_t Rows::of_constant(std::uint64_t bits, int bytes) {
  if (bytes == 0) bits = bits != 0 ? kAllLanes : 0;
  if (bytes == 2) bits &= 0xFFFFu;
  if (bytes == 4) bits &= 0xFFFFFFFFu;
  const auto known = constants_.find({bits, bytes});
  if (known != constants_.end()) return known->second;
  const std::uint32_t row = append(static_cast<std::size_t>(std::max(bytes * kWarpSize, 4)));
  std::byte* at = function_.constants.data() + (row - function_.register_bytes);
  if (bytes == 0) {
    const auto mask = static_cast<LaneMask>(bits);
    std::memcpy(at, &mask, sizeof mask);
  } else {
    fill_row(at, bits, bytes);
  }
  constants_[{bits, bytes}] = row;
  return row;
}

std::uint32_t Rows::of_special(ptx::SpecialRegister reg, int bytes) {
  const auto known = specials_.find({reg, bytes});
  if (known != specials_.end()) return known->second;
  const std::uint32_t row = append(std::max(static_cast<std::size_t>(bytes * kWarpSize), sizeof(LaneMask)));  // a mask: of predicates
  function_.special_rows.push_back({reg, row, bytes});
  specials_[{reg, bytes}] = row;
  return row;
}

std::uint32_t Rows::of_frame_address(std::uint32_t displacement, int bytes) {
  const auto known = frame_addresses_.find({displacement, bytes});
  if (known != frame_addresses_.end()) return known->second;
  const std::uint32_t row = append(static_cast<std::size_t>(bytes * kWarpSize));
  function_.frame_rows.push_back({row, displacement, bytes});
  frame_addresses_[{displacement, bytes}] = row;
  return row;
}

}  // namespace warpbook::vgpu
