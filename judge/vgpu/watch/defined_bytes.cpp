#include "judge/vgpu/watch/defined_bytes.hpp"

#include <new>

namespace warpbook::vgpu {

namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

/// Calls use(word index, mask) for the words that [at, at + count) touches, until it returns false.
template <class Use>
bool for_each_word(std::uint64_t at, std::uint64_t count, const Use& use) {
  const std::uint64_t end = at + count;
  while (at < end) {
    const std::uint64_t first = at & 63, here = std::min<std::uint64_t>(64 - first, end - at);
    if (!use(at >> 6, (kAll >> (64 - here)) << first)) return false;
    at += here;
  }
  return true;
}

}  // namespace

DefinedBytes::DefinedBytes(std::uint64_t bytes)
    : bytes_(bytes), bits_(static_cast<std::uint64_t*>(std::calloc(bytes / 64 + 1, sizeof(std::uint64_t)))) {
  if (bits_ == nullptr) throw std::bad_alloc();
}

void DefinedBytes::mark_many(std::uint64_t at, std::uint64_t count) {
  if (at == 0 && count == bytes_) {
    complete_ = true;
    return;
  }
  for_each_word(at, count, [&](std::uint64_t word, std::uint64_t mask) {
    bits_[word] |= mask;
    return true;
  });
}

void DefinedBytes::forget(std::uint64_t at, std::uint64_t count) {
  if (count == 0) return;
  if (complete_) {
    complete_ = false;
    for_each_word(0, bytes_, [&](std::uint64_t word, std::uint64_t mask) {
      bits_[word] |= mask;
      return true;
    });
  }
  for_each_word(at, count, [&](std::uint64_t word, std::uint64_t mask) {
    bits_[word] &= ~mask;
    return true;
  });
}

bool DefinedBytes::all_of_many(std::uint64_t at, std::uint64_t count) const {
  return for_each_word(at, count, [&](std::uint64_t word, std::uint64_t mask) { return (bits_[word] & mask) == mask; });
}

std::uint32_t DefinedBytes::undefined(std::uint64_t at, std::uint32_t count) const {
  if (complete_) return 0;
  std::uint32_t out = 0;
  for (std::uint32_t i = 0; i < count; ++i) out |= static_cast<std::uint32_t>(~bits_[(at + i) >> 6] >> ((at + i) & 63) & 1u) << i;
  return out;
}

void DefinedBytes::copy(std::uint64_t at, const DefinedBytes& from, std::uint64_t at_from, std::uint64_t count) {
  if (from.complete_) {
    mark(at, count);
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    if (from.all(at_from + i, 1)) mark(at + i, 1);
    else forget(at + i, 1);
  }
}

}  // namespace warpbook::vgpu
