#include "judge/vgpu/watch/defined_bytes.hpp"

#include <random>
#include <vector>

#include "judge/tests/catch.hpp"

namespace warpbook::vgpu::testing {

TEST_CASE("bits of defined bytes agree with a list of bools, whatever is marked, forgotten and copied") {
  std::mt19937 random(7);
  constexpr std::uint64_t kBytes = 517;
  DefinedBytes bits(kBytes), other(kBytes);
  std::vector<bool> plain(kBytes), plain_other(kBytes);
  for (int round = 0; round < 3000; ++round) {
    const std::uint64_t at = random() % kBytes, count = round % 40 == 0 ? 0 : random() % (kBytes - at) % (round % 3 == 0 ? 9 : 200) + 1;
    if (at + count > kBytes) continue;
    switch (random() % 5) {
      case 0:
      case 1:
        bits.mark(at, count);
        std::fill_n(plain.begin() + static_cast<std::ptrdiff_t>(at), count, true);
        break;
      case 2:
        bits.forget(at, count);
        std::fill_n(plain.begin() + static_cast<std::ptrdiff_t>(at), count, false);
        break;
      case 3:
        other.copy(at, bits, at, count);
        for (std::uint64_t i = at; i < at + count; ++i) plain_other[i] = plain[i];
        break;
      default:
        if (round % 11 == 0) {
          bits.mark(0, kBytes);
          plain.assign(kBytes, true);
          CHECK(bits.complete());
        }
    }
    bool all = true;
    for (std::uint64_t i = at; i < at + count; ++i) all = all && plain[i];
    REQUIRE(bits.all(at, count) == all);
    std::uint32_t missing = 0;
    const auto few = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, 16));
    for (std::uint32_t i = 0; i < few; ++i) missing |= (plain[at + i] ? 0u : 1u) << i;
    REQUIRE(bits.undefined(at, few) == missing);
    REQUIRE(other.all(at, 1) == plain_other[at]);
  }
}

}  // namespace warpbook::vgpu::testing
