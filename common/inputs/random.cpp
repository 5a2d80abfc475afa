#include "common/inputs/random.hpp"

namespace warpbook::inputs {
namespace {

constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio, odd

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// FNV-1a (Fowler, Noll, Vo), 64 bit: turns a name into a number, the same on every machine.
std::uint64_t number_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

std::uint64_t splitmix64(std::uint64_t seed, std::uint64_t k) { return mix(seed + (k + 1) * kGamma); }

Stream::Stream(std::uint64_t seed, std::string_view tensor) : state_(splitmix64(seed, number_of(tensor))) {}

std::uint64_t Stream::bits(std::int64_t row, std::int64_t col) const {
  return splitmix64(splitmix64(state_, static_cast<std::uint64_t>(row)), static_cast<std::uint64_t>(col));
}

double Stream::uniform(std::int64_t row, std::int64_t col) const {
  return (static_cast<double>(bits(row, col) >> 12) + 0.5) * 0x1p-52;  // 52 bits and a half: exact in double, never 0 or 1
}

}  // namespace warpbook::inputs
