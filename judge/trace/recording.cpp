#include "judge/trace/recording.hpp"

#include <bit>

namespace warpbook::trace {

void Bytes::put_wide(std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) text_ += static_cast<char>(value >> 8 * i);
}

void Bytes::put_lanes(vgpu::LaneMask lanes, const std::uint64_t* value, int bytes) {
  const std::uint64_t kept = bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
  const int first = std::countr_zero(lanes);
  const vgpu::LaneMask rest = lanes & (lanes - 1);
  const std::uint64_t base = value[first];
  // Addresses and column numbers grow from lane to lane; most else is the same in all of them or in none.
  const int second = rest == 0 ? first : std::countr_zero(rest);
  const std::uint64_t step = second == first + 1 ? value[second] - base : 0;
  bool uniform = true, affine = true;
  for (vgpu::LaneMask left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    uniform = uniform && value[lane] == base;
    affine = affine && ((value[lane] - base) & kept) == ((step * static_cast<std::uint64_t>(lane - first)) & kept);
  }
  if (uniform) {
    put<std::uint8_t>(kUniform);
    put_wide(base, bytes);
    return;
  }
  if (affine && bytes > 1) {
    put<std::uint8_t>(kAffine);
    put_wide(base, bytes);
    put_wide(step, bytes);
    return;
  }
  put<std::uint8_t>(kRaw);
  for (vgpu::LaneMask left = lanes; left != 0; left &= left - 1) put_wide(value[std::countr_zero(left)], bytes);
}

namespace {

std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < have ? static_cast<std::uint8_t>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += k <= have ? kDigits[group >> (18 - 6 * k) & 63u] : '=';
  }
  return text;
}

}  // namespace

std::string stream_of(const Recording& recording) {
  Bytes out;
  for (const Event& event : recording.events) {
    out.put(event.warp);
    out.put(event.site);
    out.put(event.mask);
    out.put(event.active);
    out.put(event.value_count);
    out.append(event.values);
    out.put(event.access_count);
    out.append(event.accesses);
    out.put(event.word_count);
    out.append(event.words);
    out.put(event.state_count);
    out.append(event.states);
  }
  return base64(out.text());
}

}  // namespace warpbook::trace
