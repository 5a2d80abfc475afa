#pragma once
// Which bytes of a piece of memory somebody has written: one bit a byte, an eighth of a byte of shadow.
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace warpbook::vgpu {

class DefinedBytes {
 public:
  /// `bytes` bytes that nobody has written. The bits are mapped when they are touched: memory that is reserved and not used costs nothing.
  explicit DefinedBytes(std::uint64_t bytes);

  std::uint64_t bytes() const { return bytes_; }
  /// Memory that the bits take once all of them have been touched.
  std::uint64_t held_bytes() const { return (bytes_ / 64 + 1) * sizeof(std::uint64_t); }
  /// True when every byte is known to be written (the host filled it in one go); false says nothing.
  bool complete() const { return complete_; }

  /// Ranges must lie inside; `count` may be 0.
  void mark(std::uint64_t at, std::uint64_t count) {
    if (complete_) return;
    if (const std::uint64_t first = at & 63; count != 0 && first + count <= 64) {  // nearly every access of a lane
      bits_[at >> 6] |= (~std::uint64_t{0} >> (64 - count)) << first;
      return;
    }
    mark_many(at, count);
  }
  void forget(std::uint64_t at, std::uint64_t count);
  bool all(std::uint64_t at, std::uint64_t count) const {
    if (complete_ || count == 0) return true;
    if (const std::uint64_t first = at & 63; first + count <= 64) {
      const std::uint64_t wanted = (~std::uint64_t{0} >> (64 - count)) << first;
      return (bits_[at >> 6] & wanted) == wanted;
    }
    return all_of_many(at, count);
  }
  /// Bit i is set when byte at + i has NOT been written; `count` <= 32.
  std::uint32_t undefined(std::uint64_t at, std::uint32_t count) const;
  /// Takes over what `from` says about `count` bytes from `at_from` on. The ranges may be of one piece only when they do not overlap.
  void copy(std::uint64_t at, const DefinedBytes& from, std::uint64_t at_from, std::uint64_t count);

 private:
  void mark_many(std::uint64_t at, std::uint64_t count);
  bool all_of_many(std::uint64_t at, std::uint64_t count) const;

  struct Free {
    void operator()(std::uint64_t* bits) const { std::free(bits); }
  };
  std::uint64_t bytes_;
  bool complete_ = false;
  std::unique_ptr<std::uint64_t[], Free> bits_;
};

}  // namespace warpbook::vgpu
