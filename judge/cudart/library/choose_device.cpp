// The device of a program that runs with this library: at the other end of the socket whose number the judge put into
// WARPBOOK_DEVICE_FD, else a virtual GPU inside of this process, as WARPBOOK_DEVICE_OPTIONS describes it.
#include "judge/cudart/choose_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "judge/cudart/device_options.hpp"
#include "judge/cudart/runtime.hpp"
#include "judge/device/socket_device.hpp"
#include "judge/vgpu/profile.hpp"
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

bool is_on(const DeviceOptions& options, std::string_view check) {
  return std::find(options.off.begin(), options.off.end(), check) == options.off.end();
}

vgpu::Options gpu_options(const DeviceOptions& from) {
  using Order = vgpu::Schedule::Order;
  vgpu::Options to;
  const auto properties = vgpu::find_profile(from.profile);
  if (properties) to.properties = *properties;
  if (!properties) fmt::print(stderr, "warpbook: {}\n", properties.error().what);
  to.max_faults = from.max_findings;
  if (from.budget) to.instruction_budget = *from.budget;
  to.schedule.order = from.order == "seeded" ? Order::kSeeded : from.order == "descending" ? Order::kDescending : Order::kAscending;
  to.schedule.seed = from.seed;
  to.check_races = is_on(from, "race");
  to.check_initialised = is_on(from, "init");
  return to;
}

}  // namespace

ChosenDevice choose_device() {
  if (const int socket = judge_socket(); socket >= 0) return {std::make_unique<device::SocketDevice>(socket), true};
  const char* text = std::getenv(kOptionsVariable);
  Result<DeviceOptions> options = parse_device_options(text ? text : "");
  if (!options) {
    fmt::print(stderr, "warpbook: {}\n", options.error().what);
    options = DeviceOptions{};
  }
  auto gpu = vgpu::VirtualGpu::create(gpu_options(*options));
  auto* watched = gpu.get();
  ChosenDevice chosen;
  chosen.device = std::move(gpu);
  chosen.faults = [watched] { return watched->faults(); };
  chosen.counters = [watched] { return watched->counters(); };
  chosen.set_heap_bytes = [watched](std::uint64_t bytes) { watched->set_heap_bytes(bytes); };
  chosen.begin_task = [watched](vgpu::StreamTask task) { vgpu::begin_task(*watched, std::move(task)); };
  chosen.report = options->report;
  return chosen;
}

namespace {

/// After the program's own exit handlers and destructors, which may still give memory back.
__attribute__((destructor)) void report_the_end() {
  Runtime& runtime = Runtime::get();
  const std::unique_lock lock(runtime.mutex(), std::try_to_lock);
  if (lock.owns_lock()) runtime.end("exit");
}

}  // namespace

}  // namespace warpbook::cudart
