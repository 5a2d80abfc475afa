#include "judge/grade/vgpu_bench.hpp"

#include <fmt/format.h>

#include <cstring>

#include "judge/device/symbol_names.hpp"
#include "judge/grade/injected_failure.hpp"
#include "judge/grade/worker_verdict.hpp"

namespace warpbook::grade {
namespace {

using device::FaultKind;

Verdict verdict_of(FaultKind kind) {
  if (kind == FaultKind::kBudget) return Verdict::kTimeLimit;
  if (kind == FaultKind::kUnsupported) return Verdict::kJudgeError;
  return Verdict::kRuntimeError;
}

class VgpuBench : public Bench {
 public:
  explicit VgpuBench(const VgpuBenchOptions& options)
      : gpu_(vgpu::VirtualGpu::create(device_options(options))),
        module_(gpu_->adopt(options.image)),
        names_(vgpu::entry_names(*options.image)),
        launch_(options.launch),
        failure_(options.fail, options.fail_at) {}

  std::int64_t red_zone_bytes() const override { return 0; }

  Result<device::Address> allocate(const std::string& name, std::uint64_t bytes) override {
    device::Address address = 0;
    const device::Answer answer = gpu_->allocate_named(bytes, 0, name, address);
    if (!answer.ok()) return Error{fmt::format("the virtual GPU has no {} bytes for {}: {}", bytes, name, answer.message)};
    return address;
  }

  Status write(device::Address to, std::span<const std::byte> from) override { return status_of(gpu_->write(to, from), "filling"); }
  void mark_unwritten(device::Address address, std::uint64_t bytes) override { gpu_->forget(address, bytes); }
  void expect_only_reads(device::Address address) override { gpu_->expect_only_reads(address); }
  Status read(std::span<std::byte> to, device::Address from) override { return status_of(gpu_->read(to, from), "reading"); }

  BenchRun run(const std::filesystem::path& library, const std::vector<Argument>& arguments) override {
    const Result<run::WorkerFiles> files = run::find_worker_files();
    BenchRun result;
    if (!files) {
      result.verdict = Verdict::kJudgeError;
      result.reason = Reason::kInternal;
      result.message = files.error().text();
      return result;
    }
    run::WorkerRequest request;
    request.worker = files->worker;
    request.runtime = files->runtime;
    request.submission = library;
    request.limits = worker_limits();
    request.order.launch = launch_;
    for (const Argument& a : arguments) request.order.arguments.emplace_back(bytes_of(a));
    // The judge read the device code itself; whatever the worker's fat binary says, this is what runs.
    request.hooks.load_module = [this](std::string_view, std::uint64_t& module) {
      module = module_;
      return device::Answer{};
    };
    request.hooks.resolve = [this](std::string_view name) { return std::string(names_.find(name)); };
    request.hooks.refuse = [this](device::Operation operation) { return failure_.refuse(operation); };
    HostCopies copies;
    request.hooks.copied = [&](device::Operation operation, device::Address address, std::uint64_t bytes) {
      if (operation == device::Operation::kWrite) copies.sent += bytes;
      device::Address base = 0;
      std::uint64_t size = 0;
      if (operation == device::Operation::kRead && gpu_->find_allocation(address, base, size).ok()) copies.fetched[base] += bytes;
    };
    const run::WorkerOutcome outcome = run::run_worker(request, gpu_.get());
    result = judge_worker(outcome);
    explain_refusal(result, outcome);
    if (outcome.ending == run::WorkerEnding::kReplied) failure_.judge(outcome.reply, result);
    apply_faults(result);
    result.counters = gpu_->counters();
    result.kernels = gpu_->kernel_meters();
    result.launches = gpu_->launches();
    result.host_copies = std::move(copies);
    if (result.verdict == Verdict::kAccepted && result.launches == 0 && !failure_.happened()) {
      result.verdict = Verdict::kWrongAnswer;
      result.reason = Reason::kNoLaunch;
      result.message = sentence_of(result.reason);
    }
    return result;
  }

  std::optional<device::Traffic> traffic(device::Address base) const override { return gpu_->traffic(base); }

 private:
  static vgpu::Options device_options(const VgpuBenchOptions& options) {
    vgpu::Options out;
    if (options.instruction_budget > 0) out.instruction_budget = options.instruction_budget;
    out.schedule = options.schedule;
    out.tracer = options.tracer;
    out.line_meters = options.line_meters;
    return out;
  }

  static std::vector<std::byte> bytes_of(const Argument& a) {
    if (!a.tensor) return a.scalar;
    std::vector<std::byte> bytes(sizeof a.address);
    std::memcpy(bytes.data(), &a.address, sizeof a.address);
    return bytes;
  }

  static Status status_of(const device::Answer& answer, const char* doing) {
    if (answer.ok()) return Done{};
    return Error{fmt::format("{} device memory: {}", doing, answer.message)};
  }

  /// The device knows why it refused a launch; the worker has only CUDA's number.
  static void explain_refusal(BenchRun& result, const run::WorkerOutcome& outcome) {
    if (result.verdict == Verdict::kAccepted || outcome.device.refused_call.empty() || outcome.device.refused.message.empty()) return;
    result.message += "; " + outcome.device.refused.message;
    // cudaErrorInvalidValue is also how CUDA refuses a launch; the device knows which call it was.
    if (result.reason == Reason::kInvalidLaunch && outcome.device.refused_call != "launch") result.reason = Reason::kCudaError;
  }

  /// What the device saw outranks what the worker reports: a fault explains the error code, and a worker may lie.
  void apply_faults(BenchRun& result) const {
    const device::Fault* first = nullptr;
    for (const device::Fault& fault : gpu_->faults()) {
      if (fault.severity != device::Severity::kError) result.remarks.push_back(fault);
      else if (first == nullptr) first = &fault;
    }
    result.order_matters = gpu_->order_matters();
    if (first == nullptr) return;
    const device::Fault& fault = *first;
    result.verdict = verdict_of(fault.kind);
    result.reason = reason_of(fault.kind);
    result.message = fault.message;
    result.fault = fault;
  }

  std::unique_ptr<vgpu::VirtualGpu> gpu_;
  std::uint64_t module_;
  device::NameIndex names_;
  std::string launch_;
  InjectedFailure failure_;
};

}  // namespace

Reason reason_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kNone: return Reason::kNone;
    case FaultKind::kOutOfBounds: return Reason::kOutOfBounds;
    case FaultKind::kMisaligned: return Reason::kMisaligned;
    case FaultKind::kUseAfterFree: return Reason::kUseAfterFree;
    case FaultKind::kNullPointer: return Reason::kNullPointer;
    case FaultKind::kReadOnly: return Reason::kReadOnly;
    case FaultKind::kUninitialised: return Reason::kUninitialised;
    case FaultKind::kRace: return Reason::kRace;
    case FaultKind::kBarrierDivergence: return Reason::kBarrierDivergence;
    case FaultKind::kDeadlock: return Reason::kDeadlock;
    case FaultKind::kBadShuffleMask: return Reason::kBadShuffleMask;
    case FaultKind::kInvalidLaunch:
    case FaultKind::kLaunchError: return Reason::kInvalidLaunch;
    case FaultKind::kBudget: return Reason::kInstructionBudget;
    case FaultKind::kTrap: return Reason::kTrap;
    case FaultKind::kAssert: return Reason::kAssert;
    case FaultKind::kStackOverflow: return Reason::kStackOverflow;
    case FaultKind::kUnsupported: return Reason::kUnsupported;
    case FaultKind::kHostPointer: return Reason::kHostPointer;
    case FaultKind::kInvalidCall: return Reason::kTrap;
  }
  return Reason::kInternal;
}

std::unique_ptr<Bench> make_vgpu_bench(const VgpuBenchOptions& options) { return std::make_unique<VgpuBench>(options); }

}  // namespace warpbook::grade
