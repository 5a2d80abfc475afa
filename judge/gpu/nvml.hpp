#pragma once
// NVML, NVIDIA's library that tells clocks and temperature, opened at run time. A time without the clock at which it was measured says
// little, and one measured while the GPU was slowing itself down says nothing.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "judge/base/error.hpp"

namespace warpbook::gpu {

struct ClockReading {
  unsigned sm_mhz = 0, memory_mhz = 0;
  unsigned most_sm_mhz = 0, most_memory_mhz = 0;
  unsigned temperature = 0;   ///< degrees Celsius
  std::uint64_t reasons = 0;  ///< NVML's bits: why clocks are not at their most
};

/// Bits for which no statement is made: the GPU slows down for heat, or because its power supply says so. (Its own power limit is no
/// such reason: it acts on the copies and the reference alike, in the same run. It is told.)
inline constexpr std::uint64_t kSlowedDown = 0x08 | 0x20 | 0x40 | 0x80;

/// "software thermal slowdown", ...; idle clocks and the clocks that an application set are no throttling and not named.
std::vector<std::string> words_of_reasons(std::uint64_t reasons);

class Nvml {
 public:
  /// `bus_id` is the driver's name of the GPU. The error says what is missing.
  static Result<std::unique_ptr<Nvml>> open(const std::string& bus_id);
  ~Nvml();
  Result<ClockReading> read() const;

 private:
  struct Functions;
  Nvml();
  std::unique_ptr<Functions> functions_;
  void* device_ = nullptr;
};

}  // namespace warpbook::gpu
