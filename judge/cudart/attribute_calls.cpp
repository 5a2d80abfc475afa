// cudaDeviceGetAttribute: a number for each question. The numbers are the interface (driver_types.h); the answers come from the
// device's own properties. What a virtual device does not have (textures, managed memory, buses) is 0.
#include <fmt/format.h>

#include "judge/cudart/call.hpp"
#include "judge/cudart/device_prop.hpp"
#include "judge/cudart/export.hpp"

namespace warpbook::cudart {
namespace {

using device::Code;

constexpr int kFirstAttribute = 1, kLastAttribute = 147;

int attribute(const device::Properties& p, int number) {
  switch (number) {
    case 1: return p.max_threads_per_block;
    case 2: return p.max_block[0];
    case 3: return p.max_block[1];
    case 4: return p.max_block[2];
    case 5: return p.max_grid[0];
    case 6: return p.max_grid[1];
    case 7: return p.max_grid[2];
    case 8: return p.shared_per_block;
    case 9: return static_cast<int>(abi::kConstantBytes);
    case 10: return abi::kWarpSize;
    case 11: return static_cast<int>(abi::kLargestPitch);
    case 12: return p.registers_per_block;
    case 13: return p.clock_khz;
    case 14: return static_cast<int>(abi::kTextureAlignment);
    case 15: return 1;  // copies beside kernels
    case 16: return p.multiprocessors;
    case 30: return static_cast<int>(abi::kTextureAlignment);  // surfaces
    case 31: return 1;                                         // several kernels at once
    case 36: return p.memory_clock_khz;
    case 37: return p.memory_bus_bits;
    case 38: return p.l2_bytes;
    case 39: return p.max_threads_per_multiprocessor;
    case 40: return 1;  // copy engines
    case 41: return 1;  // one address space with the host
    case 51: return static_cast<int>(abi::kTexturePitchAlignment);
    case 75: return p.major;
    case 76: return p.minor;
    case 78: return 1;  // stream priorities
    case 79: return 1;  // global loads in L1
    case 80: return 1;  // local loads in L1
    case 81: return p.shared_per_multiprocessor;
    case 82: return p.registers_per_block;
    case 87: return 2;  // single over double precision
    case 95: return 1;  // cooperative launch
    case 97: return p.shared_per_block_optin;
    case 106: return p.max_blocks_per_multiprocessor;
    case 111: return p.reserved_shared_per_block;
    case 126: return 1;  // memory synchronisation domains
    default: return 0;
  }
}

}  // namespace

WARPBOOK_EXPORT int cudaDeviceGetAttribute(int* value, int number, int device_number) {
  Call call("cudaDeviceGetAttribute");
  if (device_number != 0) return call.fail(Code{101}, fmt::format("there is no device {}, only device 0", device_number));
  if (!value) return call.fail(Code::kInvalidValue, "no place for the value is given");
  if (number < kFirstAttribute || number > kLastAttribute)
    return call.fail(Code::kInvalidValue, fmt::format("there is no device attribute {}", number));
  *value = attribute(call.runtime().properties(), number);
  return call.success();
}

}  // namespace warpbook::cudart
