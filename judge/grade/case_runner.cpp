#include "judge/grade/case_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "common/inputs/element.hpp"
#include "judge/grade/compare.hpp"
#include "judge/grade/host_computed.hpp"
#include "judge/grade/injected_failure.hpp"

namespace warpbook::grade {
namespace {

/// The memory of a tensor on the bench and what was written there.
struct Placed {
  device::Address base = 0;
  std::vector<std::byte> image;
};

CaseResult describe(const task::Case& c, const CaseSetup& setup) {
  CaseResult r;
  r.name = c.name;
  r.kind = c.kind;
  r.about = c.about;
  r.tag = c.tag;
  r.rows = setup.gpu_shape && c.gpu_rows > 0 ? c.gpu_rows : c.rows;
  r.cols = setup.gpu_shape && c.gpu_cols > 0 ? c.gpu_cols : c.cols;
  return r;
}

CaseResult judge_error(CaseResult r, const Error& error) {
  r.verdict = Verdict::kJudgeError;
  r.reason = Reason::kInternal;
  r.message = error.what;
  return r;
}

Status write_image(Bench& bench, const inputs::Placement& placement, const Placed& placed) {
  std::size_t at = 0;
  for (const inputs::Extent& e : placement.extents) {
    Status ok = bench.write(placed.base + static_cast<std::uint64_t>(e.offset),
                            std::span(placed.image).subspan(at, static_cast<std::size_t>(e.bytes)));
    if (!ok) return ok;
    at += static_cast<std::size_t>(e.bytes);
  }
  return Done{};
}

Result<std::vector<std::byte>> read_image(Bench& bench, const inputs::Placement& placement, device::Address base) {
  std::vector<std::byte> image(static_cast<std::size_t>(placement.image_bytes));
  std::size_t at = 0;
  for (const inputs::Extent& e : placement.extents) {
    Status ok = bench.read(std::span(image).subspan(at, static_cast<std::size_t>(e.bytes)), base + static_cast<std::uint64_t>(e.offset));
    if (!ok) return std::move(ok).error();
    at += static_cast<std::size_t>(e.bytes);
  }
  return image;
}

/// Outputs hold a pattern, not values; so does what lies around the rows of an input.
void mark_unwritten(Bench& bench, const TensorData& t, device::Address base) {
  const inputs::Placement& p = t.placement;
  const auto mark = [&](std::int64_t from, std::int64_t to) {
    if (from < to) bench.mark_unwritten(base + static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to - from));
  };
  const bool output = t.spec->role == operators::Role::kOutput;
  for (const inputs::Extent& e : p.extents) {
    std::int64_t at = e.offset;
    const std::int64_t end = e.offset + e.bytes, stride = p.row_stride * inputs::size_of(p.type);
    if (!output && p.rows > 0 && p.cols > 0) {
      const std::int64_t first = at <= p.base || stride == 0 ? 0 : (at - p.base) / stride;
      for (std::int64_t row = first; row < p.rows && p.row_offset(row) < end; ++row) {
        mark(at, p.row_offset(row));
        at = std::max(at, p.row_offset(row) + p.row_bytes());
      }
    }
    mark(at, end);
  }
}

Result<std::vector<Placed>> place_all(Bench& bench, const CaseData& data) {
  std::vector<Placed> placed(data.tensors.size());
  for (std::size_t i = 0; i < data.tensors.size(); ++i) {
    const TensorData& t = data.tensors[i];
    if (t.absent || t.memory != static_cast<int>(i)) continue;
    Result<device::Address> base = bench.allocate(t.spec->name, static_cast<std::uint64_t>(t.placement.total_bytes));
    if (!base) return std::move(base).error();
    placed[i].base = *base;
    placed[i].image = inputs::compose(t.placement, t.dense);
    if (Status ok = write_image(bench, t.placement, placed[i]); !ok) return std::move(ok).error();
    mark_unwritten(bench, t, placed[i].base);
    if (!t.written) bench.expect_only_reads(placed[i].base);
  }
  return placed;
}

std::vector<Argument> arguments_of(const CaseData& data, const std::vector<Placed>& placed) {
  std::vector<Argument> arguments;
  for (std::size_t p = 0; p < data.parameters.size(); ++p) {
    Argument a;
    a.name = data.parameters[p];
    a.scalar = data.scalar_bytes[p];
    a.tensor = a.scalar.empty();
    const auto t = std::find_if(data.tensors.begin(), data.tensors.end(), [&](const TensorData& d) { return d.spec->name == a.name; });
    if (a.tensor && t != data.tensors.end() && !t->absent)
      a.address = placed[static_cast<std::size_t>(t->memory)].base + static_cast<std::uint64_t>(t->placement.base);
    arguments.push_back(std::move(a));
  }
  return arguments;
}

/// Red zones, gaps and inputs must be as before. Says what is not; empty when all is well.
std::optional<CaseResult> check_surroundings(CaseResult r, const TensorData& t, const Placed& placed, const std::vector<std::byte>& image) {
  r.verdict = Verdict::kWrongAnswer;
  if (const auto violation = inputs::first_violation(t.placement, image)) {
    // Between two rows a write stays inside the allocation: the values are wrong. Before or behind the tensor it is the out-of-bounds
    // access that the virtual GPU stops at its line; the red zones of a real GPU show it afterwards, and it gets the same verdict.
    const bool gap = violation->zone == inputs::Violation::Zone::kGap;
    r.verdict = gap ? Verdict::kWrongAnswer : Verdict::kRuntimeError;
    r.reason = gap ? Reason::kOutOfZoneWrite : Reason::kOutOfBounds;
    r.message = fmt::format("memory around {} was overwritten {}", t.spec->name, violation->text());
    return r;
  }
  if (!t.written && image != placed.image) {
    r.reason = Reason::kInputChanged;
    r.message = fmt::format("the kernel changed its input {}", t.spec->name);
    return r;
  }
  return std::nullopt;
}

std::string describe_worst(const WorstElement& w, Reason reason, inputs::DType type) {
  const std::string place = fmt::format("{}[{}][{}]", w.tensor, w.row, w.column);
  const std::string count = fmt::format("{} of {} elements", w.over, w.total);
  if (reason == Reason::kUnwritten) return fmt::format("{} was never written ({} fail)", place, count);
  if (reason == Reason::kNotFinite) return fmt::format("{} is {} where {:.9g} is right ({} fail)", place, w.got, w.expected, count);
  const bool narrow = type == inputs::DType::kF16 || type == inputs::DType::kBF16;
  return fmt::format("{} is {:.9g} where {:.9g} is right; error{} {:.3g}, bound {:.3g} ({} over)", place, w.got, w.expected,
                     narrow ? " before rounding" : "", w.error, w.bound, count);
}

/// Outputs against the reference; the first output that fails decides. All that came back is kept, right or wrong.
void compare_outputs(CaseResult& r, const task::Case& c, const CaseData& data, const std::vector<std::vector<std::byte>>& images) {
  r.verdict = Verdict::kAccepted;
  r.reason = Reason::kNone;
  r.message.clear();
  double nearest = -1;
  for (const operators::Expected& e : data.expected) {
    const auto t = std::find_if(data.tensors.begin(), data.tensors.end(), [&](const TensorData& d) { return d.spec->name == e.tensor; });
    const std::vector<std::byte> dense = inputs::extract(t->placement, images[static_cast<std::size_t>(t->memory)]);
    const std::vector<double> got = inputs::to_values(t->spec->type, dense);
    r.answers.push_back({e.tensor, t->placement.cols, got});
    if (r.verdict != Verdict::kAccepted) continue;
    std::vector<bool> unwritten(got.size(), false);
    const bool poisoned = t->spec->role == operators::Role::kOutput && t->memory == t - data.tensors.begin();
    for (std::size_t i = 0; poisoned && i < got.size(); ++i)
      unwritten[i] = inputs::load_bits(t->spec->type, dense, i) == inputs::unwritten_bits(t->spec->type);
    const Comparison comparison = compare(e, got, unwritten, c.check, c.magnitude, t->spec->type);
    const double ratio = comparison.worst.bound > 0 ? comparison.worst.error / comparison.worst.bound : 0;
    if (!comparison.accepted || ratio > nearest) r.worst = comparison.worst;
    nearest = std::max(nearest, ratio);
    if (comparison.accepted) continue;
    r.verdict = Verdict::kWrongAnswer;
    r.reason = comparison.reason;
    r.message = describe_worst(comparison.worst, comparison.reason, t->spec->type);
  }
}

void count_passes(CaseResult& r, const Bench& bench, const CaseData& data, const std::vector<Placed>& placed) {
  for (std::size_t i = 0; i < data.tensors.size(); ++i) {
    const TensorData& t = data.tensors[i];
    // A row vector is read by every row: passes over it would count rows, not passes.
    const bool matrix = t.spec->shape == operators::Shape::kMatrix;
    if (!matrix || t.absent || t.memory != static_cast<int>(i) || t.dense.empty()) continue;
    const auto traffic = bench.traffic(placed[i].base);
    if (!traffic) continue;
    const auto bytes = static_cast<double>(t.dense.size());
    r.passes.push_back(
        {t.spec->name, static_cast<double>(traffic->loaded_bytes) / bytes, static_cast<double>(traffic->stored_bytes) / bytes});
  }
}

/// The device counts from where an allocation begins; people count from the tensor's first element, which may lie behind it on purpose.
void count_from_tensors(std::vector<device::KernelMeters>& kernels, const CaseData& data) {
  for (device::KernelMeters& kernel : kernels) {
    for (device::LineMeters& line : kernel.lines) {
      for (device::AccessExample& example : line.examples) {
        const auto t = std::find_if(data.tensors.begin(), data.tensors.end(),
                                    [&](const TensorData& d) { return !example.shared && d.spec->name == example.tensor; });
        if (t == data.tensors.end()) continue;
        const std::int64_t begin = t->placement.base;
        for (std::size_t lane = 0; lane < example.at.size(); ++lane)
          if ((example.lanes >> lane & 1u) != 0) example.at[lane] -= begin;
        example.phase = static_cast<std::uint32_t>((example.phase + static_cast<std::uint64_t>(begin)) % device::kSectorBytes);
      }
    }
  }
}

/// Right values that no kernel computed are not accepted.
void blame_host(CaseResult& r, const Bench& bench, const CaseData& data, const std::vector<Placed>& placed, const BenchRun& run) {
  if (!run.host_copies) return;
  std::vector<TensorUse> uses;
  for (std::size_t i = 0; i < data.tensors.size(); ++i) {
    const TensorData& t = data.tensors[i];
    if (t.absent) continue;
    const device::Address base = placed[static_cast<std::size_t>(t.memory)].base;
    const auto fetched = run.host_copies->fetched.find(base);
    TensorUse use;
    use.name = t.spec->name;
    use.bytes = t.dense.size();
    use.output = t.spec->role != operators::Role::kInput;
    use.input_matrix = t.spec->role != operators::Role::kOutput && t.spec->shape == operators::Shape::kMatrix;
    use.by_kernels = bench.traffic(base);
    use.fetched = fetched == run.host_copies->fetched.end() ? 0 : fetched->second;
    uses.push_back(std::move(use));
  }
  std::string why = host_computed(uses, run.host_copies->sent);
  if (why.empty()) return;
  r.verdict = Verdict::kWrongAnswer;
  r.reason = Reason::kHostComputed;
  r.message = std::move(why);
}

CaseResult run_prepared(CaseResult r, const task::Case& c, const CaseData& data, const std::filesystem::path& library, Bench& bench) {
  Result<std::vector<Placed>> placed = place_all(bench, data);
  if (!placed) return judge_error(std::move(r), placed.error());

  BenchRun run = bench.run(library, arguments_of(data, *placed));
  r.verdict = run.verdict;
  r.reason = run.reason;
  r.message = std::move(run.message);
  r.fault = std::move(run.fault);
  r.counters = run.counters;
  r.kernels = std::move(run.kernels);
  count_from_tensors(r.kernels, data);
  for (const device::KernelMeters& k : r.kernels) r.blocks = std::max(r.blocks, static_cast<std::int64_t>(k.grid.count()));
  r.output = std::move(run.output);
  r.remarks = std::move(run.remarks);
  r.order_matters = run.order_matters;
  if (r.reason == Reason::kNoLaunch && data.rows == 0) {
    // A matrix without rows has nothing to compute, and a grid of no blocks cannot be launched.
    r.verdict = Verdict::kAccepted;
    r.reason = Reason::kNone;
    r.message.clear();
  }
  if (r.verdict != Verdict::kAccepted) return r;
  count_passes(r, bench, data, *placed);

  std::vector<std::vector<std::byte>> images(data.tensors.size());
  for (std::size_t i = 0; i < data.tensors.size(); ++i) {
    const TensorData& t = data.tensors[i];
    if (t.absent || t.memory != static_cast<int>(i)) continue;
    Result<std::vector<std::byte>> image = read_image(bench, t.placement, (*placed)[i].base);
    if (!image) return judge_error(std::move(r), image.error());
    if (auto damaged = check_surroundings(r, t, (*placed)[i], *image)) return *damaged;
    images[i] = std::move(*image);
  }
  if (run.failure_returned) return r;
  compare_outputs(r, c, data, images);
  if (r.verdict == Verdict::kAccepted) blame_host(r, bench, data, *placed, run);
  if (!run.failed_call.empty()) blame_swallowed(r, run.failed_call);
  return r;
}

}  // namespace

CaseResult run_case(const task::Task& task, const task::Case& c, const CaseSetup& setup, const std::filesystem::path& library,
                    Bench& bench) {
  const auto start = std::chrono::steady_clock::now();
  CaseResult r = describe(c, setup);
  const Result<CaseData> data = prepare(task, c, setup);
  r = data ? run_prepared(std::move(r), c, *data, library, bench) : judge_error(std::move(r), data.error());
  r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return r;
}

}  // namespace warpbook::grade
