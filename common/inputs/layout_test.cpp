#include "common/inputs/layout.hpp"

#include <cstring>

#include "common/inputs/element.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::inputs;

namespace {

/// Elements 1, 2, 3, ... as float bytes.
std::vector<std::byte> counted(std::int64_t count) {
  std::vector<std::byte> dense(static_cast<std::size_t>(count * 4));
  for (std::int64_t i = 0; i < count; ++i) {
    store_bits(DType::kF32, dense, static_cast<std::size_t>(i), encode(DType::kF32, static_cast<double>(i + 1)));
  }
  return dense;
}

Placement placed(const Layout& layout, std::int64_t rows, std::int64_t cols) { return place(layout, rows, cols, DType::kF32, "x").value(); }

}  // namespace

TEST_CASE("a dense tensor is one extent between two red zones") {
  const Placement p = placed({}, 2, 3);
  CHECK(p.base == kRedZoneBytes);
  CHECK(p.total_bytes == 2 * kRedZoneBytes + 24);
  CHECK(p.extents == std::vector<Extent>{{0, p.total_bytes}});
  const std::vector<std::byte> image = compose(p, counted(6));
  CHECK(image[static_cast<std::size_t>(p.base) - 1] == kPatternByte);
  CHECK(std::memcmp(image.data() + p.base, counted(6).data(), 24) == 0);
  CHECK(extract(p, image) == counted(6));
  CHECK_FALSE(first_violation(p, image));
}

TEST_CASE("stride and base offset put rows where a view would have them") {
  const Placement p = placed({.row_stride = 8, .base_offset = 1}, 3, 5);
  CHECK(p.base == kRedZoneBytes + 4);
  CHECK(p.row_offset(2) == p.base + 64);
  CHECK(p.total_bytes == p.base + 64 + 20 + kRedZoneBytes);
  std::vector<std::byte> image = compose(p, counted(15));
  CHECK(extract(p, image) == counted(15));

  image[static_cast<std::size_t>(p.row_offset(1)) + 20] = std::byte{0};
  const std::optional<Violation> gap = first_violation(p, image);
  REQUIRE(gap);
  CHECK(gap->zone == Violation::Zone::kGap);
  CHECK((gap->row == 1 && gap->col == 5 && gap->found == std::byte{0}));
  CHECK(gap->text() == "in the gap behind row 1, where column 5 would be");

  image[static_cast<std::size_t>(p.base) - 1] = std::byte{1};  // the base offset counts as red zone; the first one is named
  const std::optional<Violation> before = first_violation(p, image);
  REQUIRE(before);
  CHECK(before->zone == Violation::Zone::kBefore);
  CHECK(before->text() == "1 bytes before the first element");
}

TEST_CASE("a write behind the last row is found up to the end of the red zone") {
  const Placement p = placed({.row_stride = 4}, 2, 3);
  for (const std::int64_t at : {p.row_offset(1) + 12, p.total_bytes - 1}) {
    std::vector<std::byte> image = compose(p, counted(6));
    image[static_cast<std::size_t>(at)] = std::byte{0x7e};
    const std::optional<Violation> v = first_violation(p, image);
    REQUIRE(v);
    CHECK(v->zone == Violation::Zone::kBehind);
    CHECK(v->offset == at - p.base);
    CHECK(v->row == 1);
    CHECK(v->col == (at - p.row_offset(1)) / 4);
  }
}

TEST_CASE("rows 2^30 elements apart cost the host a few kilobytes") {
  constexpr std::int64_t kStride = std::int64_t{1} << 30;
  const Placement p = placed({.row_stride = kStride}, 5, 100);
  CHECK(p.total_bytes > 16 * kStride);
  CHECK(p.image_bytes == 2 * kRedZoneBytes + 5 * 400 + 8 * kGuardBytes);
  REQUIRE(p.extents.size() == 5);
  CHECK(p.extents[3] == Extent{p.row_offset(3) - kGuardBytes, 400 + 2 * kGuardBytes});
  std::vector<std::byte> image = compose(p, counted(500));
  CHECK(extract(p, image) == counted(500));
  CHECK_FALSE(first_violation(p, image));

  const std::size_t behind_row_0 = static_cast<std::size_t>(p.base) + 400;
  image[behind_row_0 + kGuardBytes] = std::byte{0};  // the first byte of the guard before row 1
  const std::optional<Violation> v = first_violation(p, image);
  REQUIRE(v);
  CHECK(v->offset == kStride * 4 - kGuardBytes);
  CHECK(v->row == 0);
}

TEST_CASE("large dense tensors stay one extent") {
  const Placement p = placed({}, 4096, 50257);
  CHECK(p.extents.size() == 1);
}

TEST_CASE("empty tensors have red zones and nothing between") {
  for (const auto& [rows, cols] : {std::pair{0, 5}, std::pair{5, 0}, std::pair{0, 0}}) {
    const Placement p = placed({}, rows, cols);
    CHECK(p.total_bytes == 2 * kRedZoneBytes);
    std::vector<std::byte> image = compose(p, {});
    CHECK(extract(p, image).empty());
    CHECK_FALSE(first_violation(p, image));
    image.back() = std::byte{0};
    CHECK(first_violation(p, image));
  }
}

TEST_CASE("impossible layouts are refused with what should be") {
  const auto refusal = [](const Layout& layout, std::int64_t rows) { return place(layout, rows, 5, DType::kF32, "x").error().what; };
  CHECK(refusal({.row_stride = 3}, 2) == "tensor 'x' has row stride 3, expected at least its 5 columns");
  CHECK(refusal({.base_offset = -1}, 2) == "tensor 'x' has base offset -1, expected 0 or more elements");
  CHECK(refusal({}, -2) == "tensor 'x' is -2 x 5, expected no negative number");
  CHECK(refusal({.row_stride = std::int64_t{1} << 40}, std::int64_t{1} << 30) ==
        "tensor 'x' spans 1073741824 rows of stride 1099511627776, expected less than 2^62 bytes");
}
