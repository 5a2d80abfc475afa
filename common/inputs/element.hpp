#pragma once
// Element types as bits. Values are doubles until the very end; here they are rounded once, to nearest even, to the type of
// the tensor. (Rounding to float first and then to half would round twice: 1 + 2^-11 + 2^-30 comes out as 1.)
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/inputs/spec.hpp"

namespace warpbook::inputs {

/// The bits of `value` rounded to `type`, in the low bytes. NaN becomes the type's plain quiet NaN (0x7fc00000, 0x7e00,
/// 0x7fc0), whatever its sign and payload. kI32 takes the floor, so that a uniform fill [0, V) gives each of 0 .. V - 1 the
/// same share, and keeps to the type's range (NaN becomes 0).
std::uint32_t encode(DType type, double value);

/// The value of such bits, exactly.
double decode(DType type, std::uint32_t bits);

/// How far `value` is from the nearest real number that rounds to `stored`, a value of the type; 0 where value itself does. Of
/// half and bfloat16 only: `round(value - e) <= stored <= round(value + e)` holds exactly when this distance is at most e, since
/// rounding is monotone. An infinity counts as what the step after the largest finite number would be (half: 65520 rounds to
/// it). Of kF32 and kI32 it is |stored - value|. NaN when either is.
double rounding_distance(DType type, double value, double stored);

/// What outputs hold before a launch: a quiet NaN whose payload no arithmetic produces (a GPU's own NaN is 0x7fffffff).
/// An element that still holds it was not written.
constexpr std::uint32_t unwritten_bits(DType type) {
  switch (type) {
    case DType::kF32: return 0x7fc5a5a5;
    case DType::kF16: return 0x7e5a;
    case DType::kBF16: return 0x7fda;
    case DType::kI32: return 0x5a5a5a5a;
  }
  return 0;
}

/// Element `index` of dense bytes, as bits; bytes are little-endian, as on the GPU.
std::uint32_t load_bits(DType type, std::span<const std::byte> dense, std::size_t index);
void store_bits(DType type, std::span<std::byte> dense, std::size_t index, std::uint32_t bits);

/// All elements of dense bytes as doubles.
std::vector<double> to_values(DType type, std::span<const std::byte> dense);

/// Dense bytes of `count` elements that nobody has written yet.
std::vector<std::byte> unwritten(DType type, std::int64_t count);

}  // namespace warpbook::inputs
