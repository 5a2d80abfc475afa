#include "judge/gpu/nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace warpbook::gpu {
namespace {

// Numbers of NVML's interface; they never change.
constexpr int kSmClock = 1, kMemoryClock = 2;
constexpr int kOfTheChip = 0;

struct ReasonWords {
  std::uint64_t bit;
  const char* words;
};
constexpr ReasonWords kReasonWords[] = {
    {0x04, "the GPU's power limit"},  {0x08, "hardware slowdown"},      {0x10, "sync boost"},
    {0x20, "software heat slowdown"}, {0x40, "hardware heat slowdown"}, {0x80, "the power supply's brake"},
};

}  // namespace

struct Nvml::Functions {
  void* library = nullptr;
  int (*init)() = nullptr;
  int (*by_bus)(const char*, void**) = nullptr;
  int (*clock)(void*, int, unsigned*) = nullptr;
  int (*most_clock)(void*, int, unsigned*) = nullptr;
  int (*temperature)(void*, int, unsigned*) = nullptr;
  int (*reasons)(void*, unsigned long long*) = nullptr;

  template <class F>
  bool find(F& function, const char* name) {
    function = reinterpret_cast<F>(::dlsym(library, name));
    return function != nullptr;
  }
  bool find_all() {
    return find(init, "nvmlInit_v2") && find(by_bus, "nvmlDeviceGetHandleByPciBusId_v2") && find(clock, "nvmlDeviceGetClockInfo") &&
           find(most_clock, "nvmlDeviceGetMaxClockInfo") && find(temperature, "nvmlDeviceGetTemperature") &&
           (find(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons") || find(reasons, "nvmlDeviceGetCurrentClocksEventReasons"));
  }
};

Nvml::Nvml() : functions_(std::make_unique<Functions>()) {}
Nvml::~Nvml() = default;

Result<std::unique_ptr<Nvml>> Nvml::open(const std::string& bus_id) {
  std::unique_ptr<Nvml> nvml(new Nvml);
  Functions& f = *nvml->functions_;
  f.library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (f.library == nullptr) return Error{"libnvidia-ml.so.1 was not found"};
  if (!f.find_all()) return Error{"libnvidia-ml.so.1 lacks functions that are needed"};
  if (const int code = f.init(); code != 0) return Error{fmt::format("NVML does not start (code {})", code)};
  if (const int code = f.by_bus(bus_id.c_str(), &nvml->device_); code != 0)
    return Error{fmt::format("NVML does not know the GPU {} (code {})", bus_id, code)};
  return nvml;
}

Result<ClockReading> Nvml::read() const {
  const Functions& f = *functions_;
  ClockReading r;
  unsigned long long reasons = 0;
  const bool told =
      f.clock(device_, kSmClock, &r.sm_mhz) == 0 && f.clock(device_, kMemoryClock, &r.memory_mhz) == 0 && f.reasons(device_, &reasons) == 0;
  if (!told) return Error{"NVML does not tell the clocks of this GPU"};
  // What is only shown may be missing.
  f.most_clock(device_, kSmClock, &r.most_sm_mhz);
  f.most_clock(device_, kMemoryClock, &r.most_memory_mhz);
  f.temperature(device_, kOfTheChip, &r.temperature);
  r.reasons = reasons;
  return r;
}

std::vector<std::string> words_of_reasons(std::uint64_t reasons) {
  std::vector<std::string> words;
  for (const ReasonWords& r : kReasonWords)
    if ((reasons & r.bit) != 0) words.emplace_back(r.words);
  return words;
}

}  // namespace warpbook::gpu
