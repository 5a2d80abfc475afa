#include "judge/grade/case_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "judge/base/files.hpp"
#include "judge/grade/case_runner.hpp"
#include "judge/grade/order_runs.hpp"
#include "judge/grade/pool.hpp"
#include "judge/grade/result_json.hpp"
#include "judge/grade/vgpu_bench.hpp"

namespace warpbook::grade {
namespace {

/// A backstop only: instructions, processor time and the worker's own limits end a case long before.
constexpr std::chrono::seconds kCaseWallLimit{300};
constexpr std::uint64_t kLargestPtx = 64u << 20;

std::vector<const task::Case*> chosen_cases(const task::Task& task, const GradeOptions& options) {
  std::vector<const task::Case*> out;
  for (const task::Case& c : task.cases) {
    const auto& only = options.only_cases;
    // A real GPU cannot be told to fail.
    if (c.fail != task::FailingCall::kNone && options.device == DeviceKind::kGpu) continue;
    if (only.empty() || std::find(only.begin(), only.end(), c.name) != only.end()) out.push_back(&c);
  }
  return out;
}

CaseResult judge_error(const task::Case& c, Reason reason, std::string message) {
  CaseResult r;
  r.name = c.name;
  r.kind = c.kind;
  r.about = c.about;
  r.tag = c.tag;
  r.rows = c.rows;
  r.cols = c.cols;
  r.verdict = Verdict::kJudgeError;
  r.reason = reason;
  r.message = std::move(message);
  return r;
}

CaseResult result_of(const task::Case& c, const JobEnd& end) {
  if (end.interrupted) return judge_error(c, Reason::kInternal, "interrupted");
  if (end.timed_out) return judge_error(c, Reason::kInternal, fmt::format("the case did not end within {} s", kCaseWallLimit.count()));
  if (!end.ok) return judge_error(c, Reason::kInternal, fmt::format("the case's process ended by signal {}", end.signal));
  Result<CaseResult> result = case_from_text(end.text);
  return result ? std::move(*result) : judge_error(c, Reason::kInternal, result.error().what);
}

CaseResult run_on_gpu(const task::Task& task, const task::Case& c, const toolchain::Artifact& artifact, const GradeOptions& options) {
  const std::unique_ptr<Bench> bench = options.make_gpu_bench();
  return run_case(task, c, {options.seed, true, bench->red_zone_bytes()}, artifact.library, *bench);
}

/// A GPU does not tell whether a kernel computed what lies in its memory. The virtual one does, and runs the same file.
void see_who_computed(CaseResult& result, const task::Task& task, const task::Case& c, const toolchain::Artifact& artifact,
                      const GradeOptions& options) {
  if (result.verdict != Verdict::kAccepted) return;
  const Result<vgpu::ImagePointer> image = load_image(artifact);
  if (!image) return;  // instructions that only hardware knows
  GradeOptions once = options;
  once.schedule = vgpu::Schedule{};
  const CaseResult there = run_on_vgpu(task, c, artifact, *image, once);
  if (there.reason != Reason::kNoLaunch && there.reason != Reason::kHostComputed) return;
  result.verdict = there.verdict;
  result.reason = there.reason;
  result.message = fmt::format("{} (seen on the virtual GPU, at {} x {})", there.message, there.rows, there.cols);
}

/// The case on which see_who_computed() looks: one is enough, and a normal one is not too small to tell.
const task::Case* case_to_see(const std::vector<const task::Case*>& cases) {
  const auto normal = std::find_if(cases.begin(), cases.end(), [](const task::Case* c) { return c->kind == task::CaseKind::kNormal; });
  return normal != cases.end() ? *normal : cases.empty() ? nullptr : cases.front();
}

}  // namespace

Result<vgpu::ImagePointer> load_image(const toolchain::Artifact& artifact) {
  // Files that were compiled together have one image.
  constexpr std::size_t kMostKept = 8;
  static std::mutex mutex;
  static std::map<std::filesystem::path, vgpu::ImagePointer> kept;
  const std::lock_guard lock(mutex);
  if (const auto known = kept.find(artifact.ptx); known != kept.end()) return known->second;
  const Result<std::string> ptx = read_file(artifact.ptx, kLargestPtx);
  if (!ptx) return ptx.error();
  Result<vgpu::ImagePointer> image = vgpu::make_image(*ptx);
  if (!image) return image;
  if (kept.size() >= kMostKept) kept.clear();
  kept[artifact.ptx] = *image;
  return image;
}

CaseResult run_on_vgpu(const task::Task& task, const task::Case& c, const toolchain::Artifact& artifact, const vgpu::ImagePointer& image,
                       const GradeOptions& options) {
  VgpuBenchOptions bench;
  bench.image = image;
  bench.launch = artifact.launch;
  bench.program_folder = options.program_folder;
  bench.line_meters = options.line_meters;
  bench.fail = c.fail;
  bench.fail_at = c.fail_at;
  const auto run = [&](const vgpu::Schedule& schedule) {
    bench.schedule = schedule;
    return run_case(task, c, {options.seed, false, 0}, artifact.library, *make_vgpu_bench(bench));
  };
  CaseResult result = options.schedule ? run(*options.schedule) : run_in_orders(run, options.every_order);
  if (!options.kernel_meters) result.kernels.clear();
  return result;
}

std::vector<CaseResult> run_cases(const task::Task& task, const toolchain::Artifact& artifact, const GradeOptions& options) {
  const std::vector<const task::Case*> cases = chosen_cases(task, options);
  std::vector<CaseResult> results(cases.size());
  vgpu::ImagePointer image;
  if (options.device == DeviceKind::kVirtual) {
    Result<vgpu::ImagePointer> loaded = load_image(artifact);
    if (!loaded) {
      for (std::size_t i = 0; i < cases.size(); ++i) results[i] = judge_error(*cases[i], Reason::kUnsupported, loaded.error().text());
      return results;
    }
    image = std::move(*loaded);
  }
  const task::Case* const seen_case = case_to_see(cases);
  const auto job = [&](int i) {
    const task::Case& c = *cases[static_cast<std::size_t>(i)];
    const bool on_gpu = options.device == DeviceKind::kGpu;
    CaseResult result = on_gpu ? run_on_gpu(task, c, artifact, options) : run_on_vgpu(task, c, artifact, image, options);
    if (on_gpu && &c == seen_case) see_who_computed(result, task, c, artifact, options);
    return to_json(result).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  if (options.one_process && options.device == DeviceKind::kVirtual) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      results[i] = run_on_vgpu(task, *cases[i], artifact, image, options);
      if (options.on_case) options.on_case(results[i]);
    }
    return results;
  }
  int ended = 0;
  const auto done = [&](int i, const JobEnd& end) {
    const auto at = static_cast<std::size_t>(i);
    results[at] = result_of(*cases[at], end);
    if (options.on_case) options.on_case(results[at]);
    if (options.progress) options.progress(++ended, static_cast<int>(cases.size()), cases[at]->name);
  };
  run_pool(static_cast<int>(cases.size()), {options.jobs, kCaseWallLimit}, job, done);
  return results;
}

}  // namespace warpbook::grade
