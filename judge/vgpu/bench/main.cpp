// How fast the virtual GPU runs kernels like those of the lessons: thread instructions and warp instructions a second on one core, with all
// watchers and with none, and how the cost grows with the work. Processor time, not wall time: what else the machine does must not count.
//
//   vgpu_bench                       a table, medians of nine
//   vgpu_bench --benchmark_filter=softmax --benchmark_repetitions=3
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstring>
#include <string>
#include <vector>

#include "judge/base/files.hpp"
#include "judge/vgpu/vgpu.hpp"

namespace {

using namespace warpbook;

constexpr unsigned kRows = 64, kThreads = 256;
constexpr int kCols = 5000;  ///< the shape that other interpreters of PTX were timed on

struct Kernel {
  const char* name;
  unsigned blocks, threads;
  int tensors;  ///< pointers it takes: x, gamma, beta, y as far as they go; then one int
  bool output_only = false;
  int number = kCols;
};

constexpr Kernel kKernels[] = {
    {"row_sum", kRows, kThreads, 2},
    {"online_softmax", kRows, kThreads, 2},
    {"softmax", kRows, kThreads, 2},
    {"tree_softmax", kRows, kThreads, 2},
    {"layernorm", kRows, kThreads, 4},
    {"strided", 1, kRows, 2},
    {"divergent", kRows, kThreads, 1, true, 100},
    {"tree", kRows, kThreads, 1, true, 50},
    {"atomics", kRows, kThreads, 2},
};

vgpu::Options options_for(bool watched) {
  vgpu::Options options;
  options.check_races = options.check_initialised = watched;
  options.instruction_budget = ~std::uint64_t{0};
  return options;
}

/// A device with the kernels loaded and `elements` floats in each of four tensors.
class Bench {
 public:
  Bench(bool watched, std::uint64_t elements) : gpu_(vgpu::VirtualGpu::create(options_for(watched))) { prepare(elements); }

  /// One launch; false when it did not go well.
  bool launch(const Kernel& kernel, unsigned blocks) {
    device::FunctionInfo info;
    if (const device::Answer found = gpu_->function_info(module_, kernel.name, info); !found.ok()) return fail(found.message), false;
    std::vector<std::uint64_t> arguments;
    for (int i = 0; i < kernel.tensors; ++i) arguments.push_back(i + 1 == kernel.tensors ? tensors_[3] : tensors_[i]);
    arguments.push_back(static_cast<std::uint64_t>(kernel.number));
    device::Launch launch;
    launch.module = module_;
    launch.function = kernel.name;
    launch.grid = {blocks, 1, 1};
    launch.block = {kernel.threads, 1, 1};
    launch.parameters.resize(info.parameter_bytes);
    for (std::size_t i = 0; i < arguments.size(); ++i)
      std::memcpy(launch.parameters.data() + info.parameter_offsets[i], &arguments[i], info.parameter_sizes[i]);
    if (const device::Answer launched = gpu_->launch(launch); !launched.ok()) return fail(launched.message), false;
    if (const device::Answer ended = gpu_->synchronize(); !ended.ok()) return fail(ended.message), false;
    return true;
  }

  device::Counters counters() const { return gpu_->counters(); }
  const std::string& failure() const { return failure_; }

 private:
  void prepare(std::uint64_t elements) {
    const Result<std::string> ptx = read_file(std::string(WARPBOOK_SOURCE_DIR) + "/judge/tests/ptx/vgpu/rows.ptx");
    if (!ptx) return fail(ptx.error().text());
    if (const device::Answer loaded = gpu_->load_module(*ptx, module_); !loaded.ok()) return fail(loaded.message);
    std::vector<float> values(elements);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 251) / 251.0f - 0.5f;
    for (device::Address& tensor : tensors_) {
      if (!gpu_->allocate(elements * sizeof(float), tensor).ok() || !gpu_->write(tensor, std::as_bytes(std::span(values))).ok())
        return fail("no memory");
    }
  }

  void fail(std::string why) { failure_ = std::move(why); }

  std::unique_ptr<vgpu::VirtualGpu> gpu_;
  std::uint64_t module_ = 0;
  device::Address tensors_[4] = {};
  std::string failure_;
};

void run(benchmark::State& state, const Kernel& kernel, bool watched, unsigned blocks) {
  Bench bench(watched, std::uint64_t{std::max(blocks, kRows)} * kCols);
  if (!bench.failure().empty()) return state.SkipWithError(bench.failure().c_str());
  // Not timed: the first launch touches memory that the system has yet to give.
  if (!bench.launch(kernel, blocks)) return state.SkipWithError(bench.failure().c_str());
  const device::Counters before = bench.counters();
  for ([[maybe_unused]] const auto& round : state) {
    if (!bench.launch(kernel, blocks)) return state.SkipWithError(bench.failure().c_str());
  }
  const device::Counters after = bench.counters();
  const auto threads = static_cast<double>(after.thread_instructions - before.thread_instructions);
  const auto warps = static_cast<double>(after.warp_instructions - before.warp_instructions);
  using benchmark::Counter;
  state.counters["thread_instr"] = Counter(threads, Counter::kIsRate);
  state.counters["warp_instr"] = Counter(warps, Counter::kIsRate);
  state.counters["instr_a_launch"] = Counter(threads, Counter::kAvgIterations);
}

}  // namespace

int main(int count, char** words) {
  for (const Kernel& kernel : kKernels) {
    for (const bool watched : {true, false}) {
      benchmark::RegisterBenchmark(fmt::format("{}/{}", kernel.name, watched ? "all checkers" : "bounds only").c_str(),
                                   [&kernel, watched](benchmark::State& state) { run(state, kernel, watched, kernel.blocks); })
          ->Unit(benchmark::kMillisecond);
    }
  }
  // From 1e6 to 1e9 thread instructions: the cost of one must not grow with their number.
  for (const unsigned blocks : {4u, 34u, 340u, 3400u}) {
    benchmark::RegisterBenchmark(fmt::format("growth/softmax of {} rows", blocks).c_str(),
                                 [blocks](benchmark::State& state) { run(state, kKernels[2], true, blocks); })
        ->Unit(benchmark::kMillisecond);
  }
  std::vector<char*> all(words, words + count);
  std::string repetitions = "--benchmark_repetitions=9", only_medians = "--benchmark_report_aggregates_only=true", shortly = "--benchmark_min_time=0.05";
  if (count == 1) all.insert(all.end(), {repetitions.data(), only_medians.data(), shortly.data()});
  int length = static_cast<int>(all.size());
  benchmark::Initialize(&length, all.data());
  if (benchmark::ReportUnrecognizedArguments(length, all.data())) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
