#include "common/inputs/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace warpbook::inputs {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 62;

/// Sum or product that stays non-negative and at most kMostBytes.
bool fits(std::int64_t a, std::int64_t b, std::int64_t* product) {
  return !__builtin_mul_overflow(a, b, product) && *product <= kMostBytes;
}

/// Calls visit(offset of the row in the image, row) for each row; rows lie whole in one extent each.
template <class Visit>
void for_each_row(const Placement& p, Visit visit) {
  std::size_t extent = 0;
  std::int64_t image_start = 0;  // of the current extent
  for (std::int64_t row = 0; row < p.rows; ++row) {
    while (p.row_offset(row) >= p.extents[extent].offset + p.extents[extent].bytes) image_start += p.extents[extent++].bytes;
    visit(static_cast<std::size_t>(image_start + p.row_offset(row) - p.extents[extent].offset), row);
  }
}

/// The first byte in [begin, end) of the image that lost the pattern, or `end`.
std::size_t first_changed(std::span<const std::byte> image, std::size_t begin, std::size_t end) {
  const auto* const found = std::find_if(image.data() + begin, image.data() + end, [](std::byte b) { return b != kPatternByte; });
  return static_cast<std::size_t>(found - image.data());
}

/// The allocation's offset of byte `at` of the image.
std::int64_t allocation_offset(const Placement& p, std::int64_t at) {
  for (const Extent& extent : p.extents) {
    if (at < extent.bytes) return extent.offset + at;
    at -= extent.bytes;
  }
  return p.total_bytes;
}

/// Rounds towards minus infinity.
std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

Violation describe(const Placement& p, std::int64_t offset, std::byte found) {
  Violation v;
  v.offset = offset - p.base;
  v.found = found;
  const std::int64_t pitch = p.row_stride * size_of(p.type);
  const bool has_rows = p.rows > 0 && pitch > 0;
  v.row = has_rows ? std::clamp<std::int64_t>(floor_div(v.offset, pitch), 0, p.rows - 1) : 0;
  v.col = floor_div(v.offset - v.row * pitch, size_of(p.type));
  if (v.offset < 0) {
    v.zone = Violation::Zone::kBefore;
  } else if (has_rows && offset < p.row_offset(p.rows - 1)) {
    v.zone = Violation::Zone::kGap;
  } else {
    v.zone = Violation::Zone::kBehind;
  }
  return v;
}

}  // namespace

std::string Violation::text() const {
  switch (zone) {
    case Zone::kBefore: return fmt::format("{} bytes before the first element", -offset);
    case Zone::kGap: return fmt::format("in the gap behind row {}, where column {} would be", row, col);
    case Zone::kBehind: return fmt::format("behind the last row, where row {}, column {} would be", row, col);
  }
  return {};
}

Result<Placement> place(const Layout& layout, std::int64_t rows, std::int64_t cols, DType type, std::string_view tensor,
                        std::int64_t red_zone_bytes) {
  if (rows < 0 || cols < 0) return Error{fmt::format("tensor '{}' is {} x {}, expected no negative number", tensor, rows, cols)};
  if (layout.base_offset < 0) {
    return Error{fmt::format("tensor '{}' has base offset {}, expected 0 or more elements", tensor, layout.base_offset)};
  }
  if (layout.row_stride != 0 && layout.row_stride < cols) {
    return Error{fmt::format("tensor '{}' has row stride {}, expected at least its {} columns", tensor, layout.row_stride, cols)};
  }
  Placement p;
  p.type = type;
  p.rows = rows;
  p.cols = cols;
  p.row_stride = layout.row_stride != 0 ? layout.row_stride : cols;
  const std::int64_t size = size_of(type);
  std::int64_t pitch = 0, offset_bytes = 0, body = 0;
  if (!fits(p.row_stride, size, &pitch) || !fits(layout.base_offset, size, &offset_bytes) ||
      !fits(pitch, std::max<std::int64_t>(rows, 1), &body) || body > kMostBytes - offset_bytes) {
    return Error{fmt::format("tensor '{}' spans {} rows of stride {}, expected less than 2^62 bytes", tensor, rows, p.row_stride)};
  }
  p.base = red_zone_bytes + offset_bytes;
  const std::int64_t end = rows > 0 ? p.row_offset(rows - 1) + p.row_bytes() : p.base;  // no gap behind the last row
  p.total_bytes = end + red_zone_bytes;

  const bool sparse = p.total_bytes > kLargestPaddedImage && pitch - p.row_bytes() > 2 * kGuardBytes;
  if (!sparse) {
    p.extents = {{0, p.total_bytes}};
  } else {
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t from = row == 0 ? 0 : p.row_offset(row) - kGuardBytes;
      const std::int64_t to = row == rows - 1 ? p.total_bytes : p.row_offset(row) + p.row_bytes() + kGuardBytes;
      p.extents.push_back({from, to - from});
    }
  }
  for (const Extent& extent : p.extents) p.image_bytes += extent.bytes;
  return p;
}

std::vector<std::byte> compose(const Placement& p, std::span<const std::byte> dense) {
  std::vector<std::byte> image(static_cast<std::size_t>(p.image_bytes), kPatternByte);
  const auto row_bytes = static_cast<std::size_t>(p.row_bytes());
  if (row_bytes == 0) return image;
  for_each_row(p, [&](std::size_t at, std::int64_t row) {
    std::memcpy(image.data() + at, dense.data() + static_cast<std::size_t>(row) * row_bytes, row_bytes);
  });
  return image;
}

std::vector<std::byte> extract(const Placement& p, std::span<const std::byte> image) {
  const auto row_bytes = static_cast<std::size_t>(p.row_bytes());
  std::vector<std::byte> dense(static_cast<std::size_t>(p.rows) * row_bytes);
  if (row_bytes == 0) return dense;
  for_each_row(p, [&](std::size_t at, std::int64_t row) {
    std::memcpy(dense.data() + static_cast<std::size_t>(row) * row_bytes, image.data() + at, row_bytes);
  });
  return dense;
}

std::optional<Violation> first_violation(const Placement& p, std::span<const std::byte> image) {
  const auto row_bytes = static_cast<std::size_t>(p.row_bytes());
  std::size_t from = 0, bad = image.size();
  if (row_bytes != 0) {
    for_each_row(p, [&](std::size_t at, std::int64_t) {
      if (bad == image.size() && at > from) {
        const std::size_t changed = first_changed(image, from, at);
        if (changed != at) bad = changed;
      }
      from = at + row_bytes;
    });
  }
  if (bad == image.size()) bad = first_changed(image, from, image.size());
  if (bad == image.size()) return std::nullopt;
  return describe(p, allocation_offset(p, static_cast<std::int64_t>(bad)), image[bad]);
}

}  // namespace warpbook::inputs
