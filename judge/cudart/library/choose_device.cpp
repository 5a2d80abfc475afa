// The device of a program that runs with this library: at the other end of the socket whose number the judge put into
// WARPBOOK_DEVICE_FD, else a virtual GPU inside of this process.
#include "judge/cudart/choose_device.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "judge/device/socket_device.hpp"
#include "judge/vgpu/vgpu.hpp"

namespace warpbook::cudart {
namespace {

constexpr const char* kSocketVariable = "WARPBOOK_DEVICE_FD";

/// The socket's number; -1 when there is none.
int judge_socket() {
  const char* text = std::getenv(kSocketVariable);
  if (!text) return -1;
  const std::string_view digits = text;
  int number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc{} && end == digits.data() + digits.size() ? number : -1;
}

}  // namespace

ChosenDevice choose_device() {
  if (const int socket = judge_socket(); socket >= 0) return {std::make_unique<device::SocketDevice>(socket), true};
  auto gpu = vgpu::VirtualGpu::create({});
  const auto* watched = gpu.get();
  return {std::move(gpu), false, [watched] { return watched->faults(); }};
}

}  // namespace warpbook::cudart
