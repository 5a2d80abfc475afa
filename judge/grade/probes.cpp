#include "judge/grade/probes.hpp"

#include <algorithm>
#include <cmath>

#include "judge/grade/case_data.hpp"
#include "judge/grade/compare_values.hpp"
#include "judge/grade/cut_case.hpp"
#include "judge/grade/shrink.hpp"

namespace warpbook::grade {
namespace {

/// One merge, two merges, a warp and one more: short enough that the algorithms of two files do the same.
constexpr std::int64_t kProbeLengths[] = {2, 3, 33};
constexpr std::int64_t kMostRows = 8;
constexpr std::size_t kMostBases = 2;  ///< failing cases to cut from: the first, and the one with the longest rows

/// Rows that either result gets wrong, and those of them in which both do, with the same values.
struct Rows {
  double wrong = 0, alike = 0;
};

/// `mirrored`: the known file saw the mirror image of the learner's input.
Rows compare_rows(const CaseResult& learner, const CaseResult& known, std::span<const operators::Expected> expected, bool mirrored) {
  Rows rows;
  for (const operators::Expected& e : expected) {
    const Answer* a = learner.answer_of(e.tensor);
    const Answer* b = known.answer_of(e.tensor);
    if (a == nullptr || b == nullptr || a->values.size() != e.value.size() || b->values.size() != e.value.size()) return {1, 0};
    const double relative = relative_bound(e);
    for (std::int64_t r = 0; r < e.rows; ++r) {
      bool wrong = false, alike = true;
      for (std::int64_t k = 0; k < e.cols; ++k) {
        const auto i = static_cast<std::size_t>(r * e.cols + k);
        const std::size_t j = mirrored && e.cols == learner.cols ? static_cast<std::size_t>(r * e.cols + e.cols - 1 - k) : i;
        if (e.is_open(i)) continue;
        const double x = a->values[i], y = b->values[j];
        wrong |= !is_right(x, e.value[i], e.bound[i]) || !is_right(y, e.value[i], e.bound[i]);
        alike &= same_wrong_value(x, y, e.value[i], e.bound[i], relative);
      }
      rows.wrong += wrong ? 1 : 0;
      rows.alike += wrong && alike ? 1 : 0;
    }
  }
  return rows;
}

bool any_wrong(std::span<const ProbedCase> probes) {
  return std::any_of(probes.begin(), probes.end(), [](const ProbedCase& p) { return p.learner->verdict != Verdict::kAccepted; });
}

}  // namespace

std::vector<Probe> probes_of(const task::Task& task, const std::vector<task::Case>& failing, std::uint64_t seed) {
  std::vector<const task::Case*> bases;
  for (const task::Case& c : failing)
    if (c.check == task::CheckKind::kBound && c.fail == task::FailingCall::kNone) bases.push_back(&c);
  if (bases.size() > kMostBases) {
    std::stable_sort(bases.begin() + 1, bases.end(), [](const auto* a, const auto* b) { return a->cols > b->cols; });
    bases.resize(kMostBases);
  }
  const operators::Operator& op = *operators::find_operator(task.operator_name);
  std::vector<Probe> out;
  for (const task::Case* base : bases) {
    const Result<task::Case> spelled = spell_out(task, *base, seed);
    if (!spelled) continue;
    for (const std::int64_t length : kProbeLengths) {
      const auto probe = cut_case(op, *spelled, 0, std::min(spelled->rows, kMostRows), 0, length);
      const auto image = probe ? mirror_case(op, *probe) : std::nullopt;
      if (!image) continue;
      Result<CaseData> right = prepare(task, *probe, {seed, false, 0}), right_image = prepare(task, *image, {seed, false, 0});
      if (!right || !right_image) continue;
      out.push_back({*probe, std::move(right->expected)});
      out.push_back({*image, std::move(right_image->expected)});
    }
  }
  return out;
}

double probe_likeness(std::span<const ProbedCase> probes, const SourceLines& learner_source, const SourceLines& known_source) {
  if (!any_wrong(probes)) return -1;
  Rows straight, crossed;
  const auto compare = [&](Rows& to, const CaseResult& learner, const CaseResult& known, std::span<const operators::Expected> expected,
                           bool mirrored) {
    // A fault ends a launch before there are values.
    const bool ended = learner.verdict == Verdict::kRuntimeError || known.verdict == Verdict::kRuntimeError;
    const Rows r = ended ? Rows{1, likeness(learner, learner_source, known, known_source, expected, task::CheckKind::kBound)}
                         : compare_rows(learner, known, expected, mirrored);
    to.wrong += r.wrong;
    to.alike += r.alike;
  };
  for (std::size_t i = 0; i + 1 < probes.size(); i += 2) {
    const ProbedCase &probe = probes[i], &image = probes[i + 1];
    compare(straight, *probe.learner, *probe.known, probe.expected, false);
    compare(straight, *image.learner, *image.known, image.expected, false);
    compare(crossed, *probe.learner, *image.known, probe.expected, true);
    compare(crossed, *image.learner, *probe.known, image.expected, true);
  }
  const auto share = [](const Rows& r) { return r.wrong > 0 ? r.alike / r.wrong : 0; };
  return std::max(share(straight), share(crossed));
}

}  // namespace warpbook::grade
