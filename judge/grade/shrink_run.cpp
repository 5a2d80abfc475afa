#include "judge/grade/shrink_run.hpp"

#include <algorithm>

#include "judge/base/files.hpp"
#include "judge/grade/case_jobs.hpp"
#include "judge/grade/grade.hpp"
#include "judge/grade/input_literal.hpp"
#include "judge/grade/observe.hpp"
#include "judge/grade/pool.hpp"
#include "judge/grade/shrink.hpp"

namespace warpbook::grade {
namespace {

constexpr std::chrono::milliseconds kShrinkTime{2000};
/// A run of a small input takes milliseconds; one that takes this long is dropped.
constexpr std::chrono::seconds kRunLimit{2};

struct Program {
  toolchain::Artifact artifact;
  vgpu::ImagePointer image;
};

std::optional<Program> program_of(const task::Task& task, const Submission& submission, const GradeOptions& options) {
  Built built = build_code(task, submission, options);
  if (!built.artifact) return std::nullopt;
  Result<vgpu::ImagePointer> image = load_image(*built.artifact);
  if (!image) return std::nullopt;
  return Program{std::move(*built.artifact), std::move(*image)};
}

bool can_shrink(const CaseResult& c) {
  const bool judged = c.verdict == Verdict::kWrongAnswer || c.verdict == Verdict::kRuntimeError;
  return judged && c.reason != Reason::kNoLaunch && c.reason != Reason::kHostComputed && c.reason != Reason::kExitedEarly &&
         c.reason != Reason::kHostCrash;
}

int line_of(const CaseResult& c) { return c.fault && !c.fault->frames.empty() ? c.fault->frames.front().line : 0; }

/// The same verdict for the same reason and, where a line was named, at that line.
bool same_failure(const CaseResult& a, const CaseResult& b) {
  return a.verdict == b.verdict && a.reason == b.reason && line_of(a) == line_of(b);
}

}  // namespace

std::optional<CounterExample> find_counter_example(const task::Task& task, const Submission& submission, const SubmissionResult& result,
                                                   const GradeOptions& options) {
  const auto failed = std::find_if(result.cases.begin(), result.cases.end(), can_shrink);
  if (result.accepted || failed == result.cases.end()) return std::nullopt;
  const auto c = std::find_if(task.cases.begin(), task.cases.end(), [&](const task::Case& each) { return each.name == failed->name; });
  // A line of input cannot say that a call is to fail.
  if (c == task.cases.end() || c->fail != task::FailingCall::kNone) return std::nullopt;
  GradeOptions on_vgpu = options;
  on_vgpu.device = DeviceKind::kVirtual;
  on_vgpu.progress = nullptr;
  const Result<std::string> reference_text = read_file(task.solution);
  if (!reference_text) return std::nullopt;
  const std::optional<Program> own = program_of(task, submission, on_vgpu);
  const std::optional<Program> reference = program_of(task, {"solution.cu", *reference_text, true}, on_vgpu);
  const Result<task::Case> spelled = spell_out(task, *c, options.seed);
  if (!own || !reference || !spelled) return std::nullopt;

  const auto fails_alike = [&](const task::Case& candidate) {
    if (!same_failure(run_on_vgpu(task, candidate, own->artifact, own->image, on_vgpu), *failed)) return false;
    return run_on_vgpu(task, candidate, reference->artifact, reference->image, on_vgpu).verdict == Verdict::kAccepted;
  };
  const StillFails ask = [&](const std::vector<task::Case>& candidates) {
    std::vector<bool> out(candidates.size(), false);
    const auto job = [&](int i) { return std::string(fails_alike(candidates[static_cast<std::size_t>(i)]) ? "1" : "0"); };
    const auto done = [&](int i, const JobEnd& end) { out[static_cast<std::size_t>(i)] = end.ok && end.text == "1"; };
    run_pool(static_cast<int>(candidates.size()), {std::max(options.jobs, 1), kRunLimit}, job, done);
    return out;
  };
  ShrinkOptions how;
  how.time_limit = kShrinkTime;
  how.at_once = static_cast<std::size_t>(std::max(options.jobs, 1));
  if (failed->worst) {
    how.row = failed->worst->row;
    how.column = failed->worst->column;
  }
  const task::Case small = shrink(task, *spelled, ask, how);
  const bool smaller = small.rows * small.cols < c->rows * c->cols || c->rows * c->cols == 1;
  if (!smaller || !ask({small}).front()) return std::nullopt;
  const std::vector<Observations> seen = observe(task, {small}, {own->artifact}, on_vgpu);
  if (seen.front().empty()) return std::nullopt;
  return CounterExample{c->name, small.rows, small.cols, input_text(task, small), seen.front().front().message};
}

}  // namespace warpbook::grade
