#include "judge/serve/roofline_json.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "judge/device/kernel_meters.hpp"
#include "judge/task/compulsory.hpp"
#include "judge/vgpu/profile.hpp"

namespace warpbook::serve {

using nlohmann::json;

namespace {

std::uint64_t count(const json& counts, const char* name) { return counts.value(name, std::uint64_t{0}); }

}  // namespace

json counts_json(const json& of_case) {
  if (!of_case.is_object() || !of_case.contains("counters")) return nullptr;
  const json& c = of_case["counters"];
  if (count(c, "warp_instructions") == 0) return nullptr;
  json least;
  for (const json& kernel : of_case.value("kernels", json::array())) {
    if (!kernel.contains("dram")) continue;
    const json& dram = kernel["dram"];
    const std::uint64_t sectors = (count(dram, "compulsory_read") + count(dram, "compulsory_write")) / device::kSectorBytes;
    least = (least.is_null() ? 0 : least.get<std::uint64_t>()) + sectors;
  }
  return {{"warp_instructions", count(c, "warp_instructions")},
          {"sectors", count(c, "global_sectors") + count(c, "local_load_sectors") + count(c, "local_store_sectors")},
          {"least_sectors", std::move(least)}};
}

json roofline_json(const task::Task& task) {
  const task::Case* shown = task::telling_case(task);
  const auto bytes = shown == nullptr ? std::nullopt : task::compulsory_bytes(task, *shown);
  const device::Properties plain;  // the virtual GPU as runs have it when nobody chooses another
  const std::string device = fmt::format("sm_{}{}", plain.major, plain.minor);
  const auto& known = vgpu::profiles();
  const auto profile = std::find_if(known.begin(), known.end(), [&](const vgpu::Profile& p) { return p.name == device; });
  if (!bytes || profile == known.end()) return nullptr;
  const vgpu::Peaks peaks = vgpu::peaks_of(profile->properties);
  return {{"device", profile->name},
          {"like", profile->like},
          {"warp_instructions_per_second", peaks.warp_instructions},
          {"sectors_per_second", peaks.sectors},
          {"case", shown->name},
          {"least_sectors", (*bytes + device::kSectorBytes - 1) / device::kSectorBytes}};
}

}  // namespace warpbook::serve
