#pragma once
// Programs of judge/tests/programs/device as nvcc compiled them: each test runs the PTX of both compilers that nvcc has, the one it uses up
// to sm_90 and the one from sm_100 on, and wants the right answer and no finding of any checker.
#include <string>
#include <vector>

#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

inline Options options_for(int arch) {
  Options options;
  options.properties.major = arch / 10;
  options.properties.minor = arch % 10;
  return options;
}

/// judge/tests/programs/device/NAME.sm_ARCH.ptx.
inline std::string program_ptx(const std::string& name, int arch) {
  return test_ptx("../programs/device/" + name + ".sm_" + std::to_string(arch));
}

/// Runs `check(gpu)` on a device of its own for each PTX of the program.
template <class Check>
void on_each_target(const std::string& name, const Check& check, const std::vector<int>& targets = {80, 100}) {
  for (const int arch : targets) {
    INFO(name << " for sm_" << arch);
    TestGpu gpu(program_ptx(name, arch), options_for(arch));
    check(gpu);
  }
}

/// Numbers that repeat only after a long while and are small enough that sums of thousands are exact in float.
inline int mixed(std::uint32_t i) {
  i = (i ^ 61u) ^ i >> 16;
  i *= 9u;
  i ^= i >> 4;
  i *= 0x27D4EB2Du;
  return static_cast<int>((i ^ i >> 15) % 201u) - 100;
}

template <class T>
std::vector<T> mixed_values(std::size_t count, std::uint32_t salt = 0) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(mixed(static_cast<std::uint32_t>(i) + salt));
  return values;
}

}  // namespace warpbook::vgpu::testing
