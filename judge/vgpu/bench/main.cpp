// How fast the virtual GPU runs kernels like those of the lessons: million thread instructions per second on one core, the median of
// several runs. Usage: vgpu_speed [KERNEL]
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "judge/base/files.hpp"
#include "judge/vgpu/vgpu.hpp"

namespace {

using namespace warpbook;

constexpr int kRuns = 9;
constexpr unsigned kRows = 64, kThreads = 256;
constexpr int kCols = 5000;

struct Bench {
  std::string kernel;
  device::Dim3 grid, block;
  std::vector<std::uint64_t> arguments;  ///< pointers, then one int
};

/// Processor time, not wall time: what else the machine does must not count.
double seconds_of(const std::function<void()>& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// One launch; the last argument is an int, the others are pointers.
device::Answer launch(vgpu::VirtualGpu& gpu, std::uint64_t module, const Bench& bench) {
  device::FunctionInfo info;
  if (const device::Answer found = gpu.function_info(module, bench.kernel, info); !found.ok()) return found;
  device::Launch launch;
  launch.module = module;
  launch.function = bench.kernel;
  launch.grid = bench.grid;
  launch.block = bench.block;
  launch.parameters.resize(info.parameter_bytes);
  for (std::size_t i = 0; i < bench.arguments.size() && i < info.parameter_sizes.size(); ++i) {
    std::memcpy(launch.parameters.data() + info.parameter_offsets[i], &bench.arguments[i], info.parameter_sizes[i]);
  }
  if (const device::Answer launched = gpu.launch(launch); !launched.ok()) return launched;
  return gpu.synchronize();
}

int run(const std::string& wanted) {
  const Result<std::string> ptx = read_file(std::string(WARPBOOK_SOURCE_DIR) + "/judge/tests/ptx/vgpu/rows.ptx");
  if (!ptx) {
    fmt::print(stderr, "{}\n", ptx.error().text());
    return 3;
  }
  const auto gpu = vgpu::VirtualGpu::create({});
  std::uint64_t module = 0;
  if (const device::Answer loaded = gpu->load_module(*ptx, module); !loaded.ok()) {
    fmt::print(stderr, "{}\n", loaded.message);
    return 3;
  }
  device::Address x = 0, y = 0, gamma = 0, beta = 0;
  const std::uint64_t bytes = std::uint64_t{kRows} * kCols * sizeof(float);
  for (device::Address* tensor : {&x, &y, &gamma, &beta}) {
    if (!gpu->allocate(bytes, *tensor).ok()) return 3;
  }
  std::vector<float> values(kRows * kCols);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 251) / 251.0f - 0.5f;
  for (const device::Address tensor : {x, gamma, beta}) {
    if (!gpu->write(tensor, std::as_bytes(std::span(values))).ok()) return 3;
  }

  const std::vector<Bench> benches = {
      {"row_sum", {kRows, 1, 1}, {kThreads, 1, 1}, {x, y, kCols}},
      {"layernorm", {kRows, 1, 1}, {kThreads, 1, 1}, {x, gamma, beta, y, kCols}},
      {"softmax", {kRows, 1, 1}, {kThreads, 1, 1}, {x, y, kCols}},
      {"strided", {1, 1, 1}, {kRows, 1, 1}, {x, y, kCols}},
      {"divergent", {kRows, 1, 1}, {kThreads, 1, 1}, {y, 100}},
  };
  fmt::print("{:<10} {:>10} {:>16} {:>14}\n", "kernel", "ms", "M thread i./s", "M warp i./s");
  for (const Bench& bench : benches) {
    if (!wanted.empty() && bench.kernel != wanted) continue;
    std::vector<double> seconds;
    device::Counters before{}, after{};
    for (int i = 0; i < kRuns; ++i) {
      before = gpu->counters();
      device::Answer answer;
      seconds.push_back(seconds_of([&] { answer = launch(*gpu, module, bench); }));
      after = gpu->counters();
      if (!answer.ok()) {
        fmt::print(stderr, "{}: {}\n", bench.kernel, answer.message);
        return 1;
      }
    }
    std::nth_element(seconds.begin(), seconds.begin() + kRuns / 2, seconds.end());
    const double median = seconds[kRuns / 2];
    fmt::print("{:<10} {:>10.2f} {:>16.0f} {:>14.1f}\n", bench.kernel, median * 1e3,
               static_cast<double>(after.thread_instructions - before.thread_instructions) / median / 1e6,
               static_cast<double>(after.warp_instructions - before.warp_instructions) / median / 1e6);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) { return run(count > 1 ? arguments[1] : ""); }
