#pragma once
// How values become bytes on the socket between a program and its device. Both ends run on one machine, so numbers travel in its own
// byte order. The reader trusts nothing: each read is checked against what is left, a count is checked before anything is reserved for
// it, and after the first failure every read yields zero and ok() is false, so that callers check once, at the end.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::device {

/// Appends values to a growing buffer.
class Writer {
 public:
  Writer& u8(std::uint8_t value) { return raw(&value, sizeof value); }
  Writer& u32(std::uint32_t value) { return raw(&value, sizeof value); }
  Writer& i32(std::int32_t value) { return raw(&value, sizeof value); }
  Writer& u64(std::uint64_t value) { return raw(&value, sizeof value); }
  /// A 64-bit length and then the bytes.
  Writer& text(std::string_view value) { return u64(value.size()).raw(value.data(), value.size()); }
  Writer& bytes(std::span<const std::byte> value) { return u64(value.size()).raw(value.data(), value.size()); }
  Writer& u32s(const std::vector<std::uint32_t>& values);
  /// Bytes without a length: the reader knows it from elsewhere.
  Writer& raw(const void* from, std::size_t count);
  std::span<const std::byte> view() const { return buffer_; }
  std::vector<std::byte>& buffer() { return buffer_; }

 private:
  std::vector<std::byte> buffer_;
};

/// Takes values off the front of a buffer that someone else filled.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  std::uint8_t u8() { return number<std::uint8_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::int32_t i32() { return number<std::int32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }
  /// A view into the buffer, valid as long as that is.
  std::string_view text();
  std::span<const std::byte> bytes();
  std::vector<std::uint32_t> u32s();
  bool ok() const { return ok_; }
  /// True when every read succeeded and nothing is left over.
  bool done() const { return ok_ && rest_.empty(); }

 private:
  std::span<const std::byte> take(std::uint64_t count);
  template <class T>
  T number();

  std::span<const std::byte> rest_;
  bool ok_ = true;
};

}  // namespace warpbook::device
