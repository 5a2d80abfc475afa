#include "judge/gpu/gpu_bench.hpp"

#include <fmt/format.h>

#include <map>

#include "common/inputs/layout.hpp"
#include "judge/gpu/driver.hpp"
#include "judge/gpu/worker_setting.hpp"
#include "judge/grade/worker_verdict.hpp"

namespace warpbook::gpu {
namespace {

/// Handles name whole allocations of the driver, which packs small ones together; at this size each stands alone.
constexpr std::uint64_t kGranularity = std::uint64_t{2} << 20;

class GpuBench : public grade::Bench {
 public:
  explicit GpuBench(std::filesystem::path toolkit_root) : toolkit_root_(std::move(toolkit_root)), driver_(Driver::open()) {}

  std::int64_t red_zone_bytes() const override { return inputs::kRedZoneBytes; }

  Result<device::Address> allocate(const std::string&, std::uint64_t bytes) override {
    if (!driver_) return driver_.error();
    const std::uint64_t rounded = (bytes + kGranularity - 1) / kGranularity * kGranularity;
    Result<std::uint64_t> address = (*driver_)->allocate(rounded);
    if (address) sizes_[*address] = rounded;
    return address;
  }

  Status write(device::Address to, std::span<const std::byte> from) override { return (*driver_)->write(to, from); }
  Status read(std::span<std::byte> to, device::Address from) override { return (*driver_)->read(to, from); }

  grade::BenchRun run(const std::filesystem::path& library, const std::vector<grade::Argument>& arguments) override {
    run::WorkerRequest request;
    Result<run::WorkerFiles> files = run::find_worker_files();
    if (!files) return failed(files.error());
    Result<std::filesystem::path> runtime = find_nvidia_runtime(toolkit_root_);
    if (!runtime) return failed(runtime.error());
    request.worker = files->worker;
    request.runtime = *runtime;
    request.submission = library;
    request.limits = grade::worker_limits();
    request.environment = worker_environment();
    for (const grade::Argument& a : arguments) {
      Result<run::WorkerArgument> argument = share(a);
      if (!argument) return failed(argument.error());
      request.order.arguments.push_back(std::move(*argument));
    }
    return grade::judge_worker(run::run_worker(request, nullptr));
  }

  std::optional<device::Traffic> traffic(device::Address) const override { return std::nullopt; }

 private:
  static grade::BenchRun failed(const Error& error) {
    grade::BenchRun run;
    run.verdict = grade::Verdict::kJudgeError;
    run.reason = grade::Reason::kInternal;
    run.message = error.text();
    return run;
  }

  /// An address of ours as the worker can open it; scalars and null pointers travel as their bytes.
  Result<run::WorkerArgument> share(const grade::Argument& a) {
    if (!a.tensor) return run::WorkerArgument(a.scalar);
    if (a.address == 0) return run::WorkerArgument(std::vector<std::byte>(sizeof(void*)));
    auto owner = sizes_.upper_bound(a.address);
    if (owner == sizes_.begin()) return Error{fmt::format("tensor {} lies in no allocation", a.name)};
    --owner;
    Result<IpcHandle> handle = (*driver_)->export_memory(owner->first);
    if (!handle) return std::move(handle).error();
    return run::WorkerArgument(run::SharedTensor{*handle, a.address - owner->first});
  }

  std::filesystem::path toolkit_root_;
  Result<std::unique_ptr<Driver>> driver_;
  std::map<std::uint64_t, std::uint64_t> sizes_;
};

}  // namespace

std::unique_ptr<grade::Bench> make_gpu_bench(const std::filesystem::path& toolkit_root) { return std::make_unique<GpuBench>(toolkit_root); }

}  // namespace warpbook::gpu
