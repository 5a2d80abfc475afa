#include "judge/gpu/timing.hpp"

#include <algorithm>
#include <cmath>

namespace warpbook::gpu {

double wall_of(const RoundPair& pair) { return (pair.wall_twice - pair.wall_once) / pair.launches; }
double device_of(const RoundPair& pair) { return (pair.device_twice - pair.device_once) / pair.launches; }

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<Timing> timing_of(const std::vector<RoundPair>& pairs) {
  std::vector<double> walls, devices, distances;
  for (const RoundPair& pair : pairs) {
    walls.push_back(wall_of(pair));
    devices.push_back(device_of(pair));
  }
  Timing timing;
  timing.seconds = median(walls);
  timing.device_seconds = median(devices);
  if (!(timing.seconds > 0)) return std::nullopt;
  for (const double wall : walls) distances.push_back(std::fabs(wall - timing.seconds));
  timing.spread = median(distances) / timing.seconds;
  return timing;
}

std::optional<double> ratio_of(const std::vector<RoundPair>& other, const std::vector<RoundPair>& own) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(other.size(), own.size()); ++i)
    if (wall_of(own[i]) > 0) ratios.push_back(wall_of(other[i]) / wall_of(own[i]));
  if (ratios.empty()) return std::nullopt;
  return median(std::move(ratios));
}

std::uint32_t launches_for(double launch_seconds, double round_seconds, std::uint32_t most) {
  if (!(launch_seconds > 0)) return most;
  const double wanted = std::ceil(round_seconds / launch_seconds);
  return static_cast<std::uint32_t>(std::clamp(wanted, 1.0, static_cast<double>(most)));
}

}  // namespace warpbook::gpu
