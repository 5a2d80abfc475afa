#pragma once
// The generator behind every input: element (row, col) of a tensor is a pure function of seed, tensor name, row and column.
// Nothing is drawn "next", so a case cut down to fewer rows or columns keeps the values it had, and rows can be made in any
// order. The function is SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators",
// OOPSLA 2014): its k-th output is a bijective mix of seed + k * gamma, which is a counter already. Rejected: xoshiro and PCG,
// whose k-th output takes k steps or a jump table; Philox, ten rounds where one suffices for test data.
#include <cstdint>
#include <string_view>

namespace warpbook::inputs {

/// The k-th output (k from 0) of SplitMix64 started at `seed`.
std::uint64_t splitmix64(std::uint64_t seed, std::uint64_t k);

/// The values of one tensor under one seed.
class Stream {
 public:
  Stream(std::uint64_t seed, std::string_view tensor);
  /// 64 random bits of element (row, col).
  std::uint64_t bits(std::int64_t row, std::int64_t col) const;
  /// A number strictly between 0 and 1: an odd multiple of 2^-53.
  double uniform(std::int64_t row, std::int64_t col) const;

 private:
  std::uint64_t state_;
};

}  // namespace warpbook::inputs
