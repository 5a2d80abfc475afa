#include "judge/task/variant_seed.hpp"

namespace warpbook::task {
namespace {

/// FNV-1a, 64 bit: names into the state. A library's hash could change with the library.
std::uint64_t name_hash(std::string_view name, std::uint64_t hash) {
  constexpr std::uint64_t kPrime = 0x100000001B3;
  for (const unsigned char c : name) hash = (hash ^ c) * kPrime;
  // The end counts too, so that ("a", "bc") and ("ab", "c") differ.
  return (hash ^ 0xFF) * kPrime;
}

}  // namespace

VariantSeed::VariantSeed(std::string_view task_id, std::string_view question_id, std::uint64_t learner_seed) {
  constexpr std::uint64_t kOffsetBasis = 0xCBF29CE484222325;
  state_ = name_hash(question_id, name_hash(task_id, kOffsetBasis)) ^ learner_seed;
}

std::uint64_t VariantSeed::next() {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

}  // namespace warpbook::task
