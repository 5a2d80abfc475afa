#include "judge/device/wire.hpp"

#include <cstring>

namespace warpbook::device {

Writer& Writer::raw(const void* from, std::size_t count) {
  const auto* begin = static_cast<const std::byte*>(from);
  buffer_.insert(buffer_.end(), begin, begin + count);
  return *this;
}

Writer& Writer::u32s(const std::vector<std::uint32_t>& values) {
  u64(values.size());
  return raw(values.data(), values.size() * sizeof(std::uint32_t));
}

std::span<const std::byte> Reader::take(std::uint64_t count) {
  if (!ok_ || count > rest_.size()) {
    ok_ = false;
    return {};
  }
  const auto taken = rest_.first(static_cast<std::size_t>(count));
  rest_ = rest_.subspan(static_cast<std::size_t>(count));
  return taken;
}

template <class T>
T Reader::number() {
  T value{};
  const auto from = take(sizeof value);
  if (ok_) std::memcpy(&value, from.data(), sizeof value);
  return value;
}
template std::uint8_t Reader::number<std::uint8_t>();
template std::uint32_t Reader::number<std::uint32_t>();
template std::int32_t Reader::number<std::int32_t>();
template std::uint64_t Reader::number<std::uint64_t>();

std::span<const std::byte> Reader::bytes() { return take(u64()); }

std::string_view Reader::text() {
  const auto taken = bytes();
  return {reinterpret_cast<const char*>(taken.data()), taken.size()};
}

std::vector<std::uint32_t> Reader::u32s() {
  const std::uint64_t count = u64();
  // Compared by division: count * 4 could wrap around.
  if (!ok_ || count > rest_.size() / sizeof(std::uint32_t)) {
    ok_ = false;
    return {};
  }
  std::vector<std::uint32_t> values(static_cast<std::size_t>(count));
  const auto from = take(count * sizeof(std::uint32_t));
  if (!from.empty()) std::memcpy(values.data(), from.data(), from.size());
  return values;
}

}  // namespace warpbook::device
