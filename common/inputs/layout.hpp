#pragma once
// How the dense elements of a tensor lie in device memory, and what lies around them.
//
//   red zone | base offset | row 0 | gap | row 1 | gap | ... | last row | red zone
//
// Red zones, the base offset and the gaps between rows hold a byte pattern before a launch and must still hold it after.
// The pattern is a number that spoils whatever reads it: as float or bfloat16 it is 3.4e38 (no sum, maximum or variance
// survives it; a NaN would pass through fmaxf unseen), as half NaN, as int an index far outside.
//
// A row stride may be 2^30 elements, and the gaps then are gigabytes that exist only as addresses. So the host never holds
// "the memory of the tensor": it holds an *image*, the bytes of a few extents, one after another. An ordinary tensor is one
// extent that covers everything; where gaps are too large to copy, every row is an extent of its own with a guard on either
// side, and what lies between the guards is neither written nor checked. Whoever fills or reads device memory walks over
// `Placement::extents`:
//
//   std::vector<std::byte> image = compose(placement, dense);
//   for (std::size_t at = 0; const Extent& e : placement.extents) { write(base + e.offset, &image[at], e.bytes); at += e.bytes; }
//
// and after the launch the same with read, then first_violation() and extract().
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/inputs/spec.hpp"
#include "judge/base/error.hpp"

namespace warpbook::inputs {

inline constexpr std::byte kPatternByte{0x7f};
/// Bytes of each red zone; a multiple of the 256 bytes to which device allocations are aligned.
inline constexpr std::int64_t kRedZoneBytes = 1024;
/// Bytes checked on either side of a row where gaps are too large to be checked whole.
inline constexpr std::int64_t kGuardBytes = 256;
/// Tensors with padded rows that take more bytes than this are described row by row.
inline constexpr std::int64_t kLargestPaddedImage = std::int64_t{64} << 20;

/// A run of bytes; the offset counts from the start of the allocation.
struct Extent {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  bool operator==(const Extent&) const = default;
};

/// Where everything of one tensor lies. Offsets count from the start of the allocation, which is 256-byte aligned.
struct Placement {
  DType type = DType::kF32;
  std::int64_t rows = 0, cols = 0;
  std::int64_t row_stride = 0;   ///< elements, at least cols
  std::int64_t base = 0;         ///< byte offset of element (0, 0): the pointer that a launch function is given
  std::int64_t total_bytes = 0;  ///< to allocate, red zones included
  std::vector<Extent> extents;   ///< what of it is written, read back and checked; ascending, apart from one another
  std::int64_t image_bytes = 0;  ///< sum over the extents

  std::int64_t row_offset(std::int64_t row) const { return base + row * row_stride * size_of(type); }
  std::int64_t row_bytes() const { return cols * size_of(type); }
};

/// A byte that no longer holds the pattern.
struct Violation {
  enum class Zone { kBefore, kGap, kBehind };
  Zone zone = Zone::kBefore;
  std::int64_t offset = 0;  ///< bytes from element (0, 0); negative before the tensor
  std::int64_t row = 0;     ///< the row before the gap, or the row nearest to the red zone
  std::int64_t col = 0;     ///< the column the byte would have if that row went on; negative before the tensor
  std::byte found{};

  /// The place in words, without the name of the tensor: "in the gap behind row 2, where column 1023 would be".
  std::string text() const;
};

/// Places [rows, cols] of `type`; refuses strides shorter than a row, negative numbers and more than 2^62 bytes. `tensor` is
/// for the message. Aliases and absent tensors have no memory of their own: do not place them.
Result<Placement> place(const Layout& layout, std::int64_t rows, std::int64_t cols, DType type, std::string_view tensor,
                        std::int64_t red_zone_bytes = kRedZoneBytes);

/// The image of dense elements: rows in their places, the pattern everywhere else.
std::vector<std::byte> compose(const Placement& placement, std::span<const std::byte> dense);

/// The dense elements of an image.
std::vector<std::byte> extract(const Placement& placement, std::span<const std::byte> image);

/// The first byte outside the rows that lost the pattern.
std::optional<Violation> first_violation(const Placement& placement, std::span<const std::byte> image);

}  // namespace warpbook::inputs
