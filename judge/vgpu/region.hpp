#pragma once
// A piece of memory that a program may touch: an allocation, a variable, the block's dynamic shared memory, a kernel's parameters.
// Every checked access ends in one region; what lies between regions belongs to nobody.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "judge/device/device.hpp"
#include "judge/ptx/module.hpp"

namespace warpbook::vgpu {

using device::Address;
class DefinedBytes;
class RaceShadow;

/// `base` counts in the region's own space: device addresses for global, const and param, offsets for shared memory.
struct Region {
  Address base = 0;
  std::uint64_t bytes = 0;
  std::byte* data = nullptr;  ///< host memory behind `base`; null for shared regions (each block has its own) and freed ones
  std::string name;           ///< of the tensor or variable; empty for a plain allocation
  ptx::Space space = ptx::Space::kGlobal;
  bool live = true;
  std::string freed{};     ///< when it was: "before the first launch", "after launch 3, of scale(float*)"
  bool read_only = false;  ///< to kernels; the host may write
  bool only_read = false;  ///< nobody has written it and the judge expects nobody to: readers need no shadow of races
  bool foreign = false;    ///< `data` is the program's own memory, not ours to unmap
  device::Traffic traffic{};
  std::shared_ptr<DefinedBytes> defined{};  ///< which bytes somebody has written; null: nobody asks (watch/)
  std::shared_ptr<RaceShadow> races{};      ///< who touched them in this launch; null until somebody does (watch/)

  Address end() const { return base + bytes; }
  /// True when all of [address, address + width) lies inside.
  bool holds(Address address, std::uint64_t width) const { return width <= bytes && address - base <= bytes - width; }
};

}  // namespace warpbook::vgpu
