#include "judge/vgpu/print_format.hpp"

#include <bit>
#include <vector>

#include "judge/tests/catch.hpp"

namespace warpbook::vgpu {

namespace {

std::string print(const std::string& format, std::vector<std::uint64_t> arguments) {
  std::size_t next = 0;
  return format_print(
      format, [&](int bytes) { return bytes == 4 ? arguments.at(next++) & 0xFFFFFFFFu : arguments.at(next++); },
      [](std::uint64_t address) { return "text" + std::to_string(address); });
}

std::uint64_t number(double x) { return std::bit_cast<std::uint64_t>(x); }

}  // namespace

TEST_CASE("printf conversions") {
  CHECK(print("%d|%i|%u", {static_cast<std::uint64_t>(-3), 7, 0xFFFFFFFFu}) == "-3|7|4294967295");
  CHECK(print("%ld %lld %llu %zu", {static_cast<std::uint64_t>(-3), 1, ~0ull, 9}) == "-3 1 18446744073709551615 9");
  CHECK(print("%x %X %o %#x", {255, 255, 8, 16}) == "ff FF 10 0x10");
  CHECK(print("%5.1f|%-8g|%e|%+d|%05d", {number(2.25), number(0.5), number(1e10), 3, 42}) == "  2.2|0.5     |1.000000e+10|+3|00042");
  CHECK(print("%*d|%-*d|%.*f", {4, 7, 4, 7, 1, number(0.55)}) == "   7|7   |0.6");
  CHECK(print("%c%c %s %6s", {'o', 'k', 1, 2}) == "ok text1  text2");
  CHECK(print("%hhd %hd", {0x1FF, 0x18000}) == "-1 -32768");
  CHECK(print("100%% %p", {0x10}) == "100% 0x10");
}

TEST_CASE("broken formats print as they stand") {
  CHECK(print("%", {}) == "%");
  CHECK(print("a%y%", {}) == "a%y%");
  CHECK(print("%99999999d", {1}).size() == 4096);
}

}  // namespace warpbook::vgpu
