#include "judge/learner/random_seed.hpp"

#include <random>

namespace warpbook::learner {

std::uint64_t random_seed() {
  std::random_device device;
  constexpr std::uint64_t kMask = (std::uint64_t{1} << 53) - 1;
  return ((std::uint64_t{device()} << 32) | device()) & kMask;
}

}  // namespace warpbook::learner
