#pragma once
// Carrying elements between memory and register rows: what is left of a load or store once every lane's address has been checked.
#include <cstddef>
#include <cstdint>

#include "judge/vgpu/region.hpp"
#include "judge/vgpu/step.hpp"

namespace warpbook::vgpu {

/// How the addresses of the active lanes lie.
enum class Pattern : std::uint8_t {
  kContiguous,  ///< all 32 lanes, each right behind the one before
  kUniform,     ///< all active lanes at one address
  kScattered,
};

/// Lane l's bytes are at origin + address[l] + l * lane_stride.
struct Move {
  Registers registers;
  const Step& step;
  LaneMask active = 0;
  Pattern pattern = Pattern::kScattered;
  const Address* address = nullptr;
  std::byte* origin = nullptr;
  std::uint64_t lane_stride = 0;  ///< 0 but for local memory

  std::byte* at(int lane) const { return origin + address[lane] + static_cast<std::uint64_t>(lane) * lane_stride; }
};

using Mover = void (*)(const Move& move);

/// Loads `vector` elements of `element_bytes` per lane into rows dst[0..] of `register_bytes`; null when there is no such load.
Mover load_mover(int element_bytes, int register_bytes, bool sign_extend, int vector);
/// Stores the low bytes of rows src[1..].
Mover store_mover(int element_bytes, int register_bytes, int vector);

}  // namespace warpbook::vgpu
