// Figures are those of cards as their documentation and cudaGetDeviceProperties give them: compute capability limits from the CUDA C++
// Programming Guide's table (shared memory, threads, blocks per multiprocessor), the rest from one product of that generation.
#include "judge/vgpu/profile.hpp"

#include <fmt/format.h>

#include "judge/device/kernel_meters.hpp"

namespace warpbook::vgpu {
namespace {

constexpr int kKiB = 1024;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

device::Properties generation(int major, int minor, int shared_per_multiprocessor, int threads, int blocks, int reserved) {
  device::Properties p;
  p.name = fmt::format("Warpbook virtual GPU (sm_{}{})", major, minor);
  p.major = major;
  p.minor = minor;
  p.max_threads_per_multiprocessor = threads;
  p.max_blocks_per_multiprocessor = blocks;
  p.shared_per_multiprocessor = shared_per_multiprocessor;
  p.reserved_shared_per_block = reserved;
  // What a block may ask for is the multiprocessor's share less what the system keeps of it.
  p.shared_per_block_optin = shared_per_multiprocessor - reserved;
  return p;
}

device::Properties card(device::Properties p, int multiprocessors, std::uint64_t memory, int l2, int clock, int memory_clock, int bus) {
  p.multiprocessors = multiprocessors;
  p.memory = memory;
  p.l2_bytes = l2;
  p.clock_khz = clock;
  p.memory_clock_khz = memory_clock;
  p.memory_bus_bits = bus;
  return p;
}

std::vector<Profile> make() {
  std::vector<Profile> all;
  all.push_back({"sm_75", "T4", card(generation(7, 5, 64 * kKiB, 1024, 16, 0), 40, 16 * kGiB, 4 << 20, 1590000, 5001000, 256)});
  all.push_back({"sm_80", "A100", card(generation(8, 0, 164 * kKiB, 2048, 32, kKiB), 108, 40 * kGiB, 40 << 20, 1410000, 1215000, 5120)});
  all.push_back({"sm_86", "RTX 3090", card(generation(8, 6, 100 * kKiB, 1536, 16, kKiB), 82, 24 * kGiB, 6 << 20, 1695000, 9751000, 384)});
  all.push_back(
      {"sm_89", "RTX 4090", card(generation(8, 9, 100 * kKiB, 1536, 24, kKiB), 128, 24 * kGiB, 72 << 20, 2520000, 10501000, 384)});
  all.push_back({"sm_90", "H200", card(generation(9, 0, 228 * kKiB, 2048, 32, kKiB), 132, 141 * kGiB, 60 << 20, 1980000, 3201000, 6144)});
  all.push_back(
      {"sm_100", "B200", card(generation(10, 0, 228 * kKiB, 2048, 32, kKiB), 148, 180 * kGiB, 126 << 20, 1965000, 3996000, 8192)});
  all.push_back(
      {"sm_120", "RTX 5090", card(generation(12, 0, 100 * kKiB, 1536, 24, kKiB), 170, 32 * kGiB, 96 << 20, 2407000, 14001000, 512)});
  return all;
}

}  // namespace

const std::vector<Profile>& profiles() {
  static const std::vector<Profile> all = make();
  return all;
}

Result<device::Properties> find_profile(std::string_view name) {
  std::string names;
  for (const Profile& profile : profiles()) {
    if (profile.name == name) return profile.properties;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", profile.name);
  }
  return Error{fmt::format("there is no profile '{}', only {}", name, names)};
}

Peaks peaks_of(const device::Properties& p) {
  constexpr double kSchedulers = 4, kHertzPerKilohertz = 1000, kTransfersPerCycle = 2, kBitsPerByte = 8;
  const double bytes = kTransfersPerCycle * p.memory_clock_khz * kHertzPerKilohertz * p.memory_bus_bits / kBitsPerByte;
  return {p.multiprocessors * kSchedulers * p.clock_khz * kHertzPerKilohertz, bytes / device::kSectorBytes};
}

}  // namespace warpbook::vgpu
