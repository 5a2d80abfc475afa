#include "judge/grade/diagnose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "judge/base/files.hpp"
#include "judge/grade/case_data.hpp"
#include "judge/grade/grade.hpp"
#include "judge/grade/likeness.hpp"
#include "judge/grade/observe.hpp"
#include "judge/grade/probes.hpp"
#include "judge/grade/submission_header.hpp"
#include "judge/grade/together.hpp"
#include "judge/task/task_folder.hpp"

namespace warpbook::grade {
namespace {

namespace fs = std::filesystem;

// Settled on files in judge/tests/submissions/diagnosis; judge/grade/README.md has the figures.
constexpr double kLeastLikeness = 0.85;  ///< below: values alone do not name a mistake
constexpr double kClearLead = 0.12;      ///< in likeness, over the next one
constexpr double kClearPattern = 0.15;   ///< in the pattern of failed cases and on short rows, where likeness does not decide
// Values, errors and pattern together: a mistake in another algorithm gives other values, but it errs in the same way and fails the same
// cases. What the host asks of the runtime only breaks ties.
constexpr double kLikenessWeighs = 0.5, kCallsWeigh = 0.2, kLeastTogether = 1.2, kClearTogether = 0.15;
/// With what short rows tell (probes.hpp), which counts as much as errors or pattern.
constexpr double kLeastWithProbes = 1.8;
constexpr std::size_t kMostCases = 6;  ///< a mistake shows itself in the first few or not at all

/// A known mistake, compiled.
struct Known {
  Diagnosis mistake;
  std::vector<std::string> cases;
  SourceLines source;
  std::vector<std::string> runtime_calls;
  toolchain::Artifact artifact;
};

const task::Case* find_case(const task::Task& task, const std::string& name) {
  const auto it = std::find_if(task.cases.begin(), task.cases.end(), [&](const task::Case& c) { return c.name == name; });
  return it == task.cases.end() ? nullptr : &*it;
}

bool explains(const CaseResult& c) {
  const bool judged = c.verdict == Verdict::kWrongAnswer || c.verdict == Verdict::kRuntimeError;
  return judged && c.reason != Reason::kNoLaunch && c.reason != Reason::kHostComputed && c.reason != Reason::kExitedEarly;
}

/// The failing cases to compare on: one of each reason first, then the small ones.
std::vector<task::Case> telling_cases(const task::Task& task, const SubmissionResult& result) {
  std::vector<const CaseResult*> failed;
  for (const CaseResult& c : result.cases)
    if (explains(c) && find_case(task, c.name) != nullptr) failed.push_back(&c);
  std::stable_sort(failed.begin(), failed.end(), [](const auto* a, const auto* b) { return a->rows * a->cols < b->rows * b->cols; });
  std::vector<Reason> seen;
  const auto is_first = [&](const CaseResult* c) {
    if (std::find(seen.begin(), seen.end(), c->reason) != seen.end()) return false;
    seen.push_back(c->reason);
    return true;
  };
  std::stable_partition(failed.begin(), failed.end(), is_first);
  std::vector<task::Case> out;
  for (std::size_t i = 0; i < std::min(failed.size(), kMostCases); ++i) out.push_back(*find_case(task, failed[i]->name));
  return out;
}

/// The block size that a file of the workbook names, and the file with another one; nothing when it names none. Some mistakes compute
/// with the block size (a sum of one warp, a division by blockDim): they can be compared only at the same one.
std::optional<std::string> at_block_size(const std::string& text, std::uint32_t threads) {
  constexpr std::string_view kName = "constexpr int kThreads = ";
  constexpr std::uint32_t kWarp = 32, kLargestBlock = 1024;
  const std::size_t at = text.find(kName);
  if (at == std::string::npos || threads == 0 || threads % kWarp != 0 || threads > kLargestBlock) return std::nullopt;
  const std::size_t number = at + kName.size(), end = text.find(';', number);
  if (end == std::string::npos || text.substr(number, end - number) == std::to_string(threads)) return std::nullopt;
  return text.substr(0, number) + std::to_string(threads) + text.substr(end);
}

struct Candidate {
  Submission submission;
  SubmissionHeader header;
  std::string stem;
};

/// The mistakes that share a failing case, as their files have them and at the learner's block size.
std::vector<Candidate> candidates_for(const task::Task& task, const std::vector<task::Case>& cases, std::uint32_t threads) {
  std::vector<Candidate> out;
  for (const fs::path& file : task::submissions_in(task.wrong_folder)) {
    Result<std::string> text = read_file(file);
    if (!text) continue;
    const Result<SubmissionHeader> header = read_submission_header(file.filename().string(), *text);
    if (!header) continue;
    const bool shares = std::any_of(cases.begin(), cases.end(), [&](const task::Case& c) {
      return std::find(header->cases.begin(), header->cases.end(), c.name) != header->cases.end();
    });
    if (!shares) continue;
    const auto add = [&](std::string whole) {
      Candidate& candidate = out.emplace_back();
      candidate.submission.shown_name = fmt::format("wrong/{}", file.filename().string());
      candidate.submission.text = std::move(whole);
      candidate.submission.trusted_whole = true;
      candidate.header = *header;
      candidate.stem = file.stem().string();
    };
    if (std::optional<std::string> other = at_block_size(*text, threads)) add(std::move(*other));
    add(std::move(*text));
  }
  return out;
}

std::vector<Known> compile_known(const task::Task& task, const std::vector<Candidate>& candidates, const GradeOptions& options) {
  if (options.progress) options.progress(0, 1, "comparing with known mistakes");
  std::vector<Submission> submissions;
  for (const Candidate& c : candidates) submissions.push_back(c.submission);
  std::vector<Built> built = build_together(task, submissions, options);
  std::vector<Known> out;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& c = candidates[i];
    if (!built[i].artifact) continue;
    out.push_back({{c.stem, c.header.mistake, c.header.question, {}},
                   c.header.cases,
                   {c.submission.shown_name, split_lines(built[i].text)},
                   runtime_calls(built[i].text),
                   std::move(*built[i].artifact)});
  }
  return out;
}

/// Threads in a block of the first kernel that ran; 0 when none did.
std::uint32_t block_size_of(const Observations& seen) {
  for (const CaseResult& c : seen)
    if (!c.kernels.empty()) return static_cast<std::uint32_t>(c.kernels.front().block.count());
  return 0;
}

/// Of a mistake that was tried at two block sizes, the one that fits better.
std::vector<Suspect> best_of_each(std::vector<Suspect> all) {
  std::vector<Suspect> out;
  for (Suspect& s : all) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const Suspect& o) { return o.mistake.name == s.mistake.name; });
    if (same == out.end()) {
      out.push_back(std::move(s));
      continue;
    }
    const double probe = std::max(s.probe, same->probe);
    if (s.likeness > same->likeness) *same = std::move(s);
    same->probe = probe;
  }
  return out;
}

/// Cases that both fail, of those that either does.
double pattern_of(const SubmissionResult& result, const std::vector<std::string>& declared) {
  int both = 0, either = 0;
  for (const CaseResult& c : result.cases) {
    const bool fails = c.verdict != Verdict::kAccepted;
    const bool expected = std::find(declared.begin(), declared.end(), c.name) != declared.end();
    both += fails && expected ? 1 : 0;
    either += fails || expected ? 1 : 0;
  }
  return either == 0 ? 0 : static_cast<double>(both) / either;
}

/// A failing case as the learner's file behaves in it, and what was expected.
struct ComparedCase {
  std::size_t index = 0;  ///< in the observations
  const CaseResult* mine = nullptr;
  task::CheckKind check = task::CheckKind::kBound;
  std::vector<operators::Expected> expected;
  double weight = 0;  ///< how much it tells
};

std::vector<ComparedCase> compared_cases(const task::Task& task, const std::vector<task::Case>& cases, const Observations& mine,
                                         std::uint64_t seed) {
  std::vector<ComparedCase> out;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    Result<CaseData> data = prepare(task, cases[i], {seed, false, 0});
    if (!data || mine[i].verdict == Verdict::kAccepted) continue;
    ComparedCase c{i, &mine[i], cases[i].check, std::move(data->expected), 0};
    c.weight = evidence(mine[i], c.expected, c.check);
    out.push_back(std::move(c));
  }
  return out;
}

/// How alike two files behaved on the probes; as if nothing had failed there when one of them did not come back.
double probed(const std::vector<Probe>& probes, const Observations& mine, const SourceLines& own_source, const Observations& theirs,
              const SourceLines& their_source) {
  if (mine.size() != probes.size() || theirs.size() != probes.size()) return -1;
  std::vector<ProbedCase> all;
  for (std::size_t i = 0; i < probes.size(); ++i) all.push_back({&mine[i], &theirs[i], probes[i].expected});
  return probe_likeness(all, own_source, their_source);
}

/// How well a known mistake, which behaved as `theirs`, explains the cases.
Suspect suspect_of(const std::vector<ComparedCase>& cases, const SourceLines& own_source, const Known& known, const Observations& theirs) {
  Suspect s;
  s.mistake = known.mistake;
  double weights = 0;
  for (const ComparedCase& c : cases) {
    weights += c.weight;
    if (theirs.empty()) continue;
    const CaseResult& their = theirs[c.index];
    const double here = likeness(*c.mine, own_source, their, known.source, c.expected, c.check);
    s.likeness += c.weight * here;
    s.error += c.weight * std::max(here, same_error(*c.mine, their, c.expected));
    if (here > 0) s.mistake.cases.push_back(c.mine->name);
  }
  if (weights > 0) {
    s.likeness /= weights;
    s.error /= weights;
  }
  return s;
}

bool better(const Suspect& a, const Suspect& b) { return a.likeness != b.likeness ? a.likeness > b.likeness : a.pattern > b.pattern; }

/// What short rows add; nothing where the learner's file was right on all of them.
double on_probes(const Suspect& s) { return std::max(s.probe, 0.0); }

/// Where the values alone do not decide: a sum of one warp comes out otherwise at another block size, an unrolled loop loses another tail.
std::optional<Diagnosis> together(std::vector<Suspect> suspects) {
  const auto evidence = [](const Suspect& s) { return kLikenessWeighs * s.likeness + s.error + on_probes(s) + s.pattern; };
  const auto weight = [&](const Suspect& s) { return evidence(s) + (s.same_calls ? kCallsWeigh : 0); };
  const bool probed = std::any_of(suspects.begin(), suspects.end(), [](const Suspect& s) { return s.probe >= 0; });
  std::sort(suspects.begin(), suspects.end(), [&](const Suspect& a, const Suspect& b) { return weight(a) > weight(b); });
  if (evidence(suspects.front()) < (probed ? kLeastWithProbes : kLeastTogether)) return std::nullopt;
  if (suspects.size() > 1 && weight(suspects.front()) - weight(suspects[1]) < kClearTogether) return std::nullopt;
  return suspects.front().mistake;
}

}  // namespace

std::optional<Diagnosis> choose(std::vector<Suspect> suspects) {
  if (suspects.empty()) return std::nullopt;
  std::sort(suspects.begin(), suspects.end(), better);
  std::vector<Suspect> alike = suspects;
  std::erase_if(alike, [&](const Suspect& s) { return s.likeness < std::max(kLeastLikeness, suspects.front().likeness - kClearLead); });
  const auto side_evidence = [](const Suspect& s) { return s.pattern + on_probes(s); };
  std::sort(alike.begin(), alike.end(), [&](const Suspect& a, const Suspect& b) { return side_evidence(a) > side_evidence(b); });
  const bool clear = alike.size() == 1 || (alike.size() > 1 && side_evidence(alike[0]) - side_evidence(alike[1]) >= kClearPattern);
  return clear ? alike.front().mistake : together(std::move(suspects));
}

std::vector<Suspect> suspects(const task::Task& task, const Submission& submission, const SubmissionResult& result,
                              const GradeOptions& options) {
  const std::vector<task::Case> cases = telling_cases(task, result);
  if (cases.empty()) return {};
  GradeOptions on_vgpu = options;
  on_vgpu.device = DeviceKind::kVirtual;
  on_vgpu.line_meters = false;
  on_vgpu.kernel_meters = true;  // they tell the block size
  Built own = build_code(task, submission, on_vgpu);
  if (!own.artifact) return {};
  const Observations mine = observe(task, cases, {*own.artifact}, on_vgpu).front();
  const std::vector<Known> known =
      mine.empty() ? std::vector<Known>{} : compile_known(task, candidates_for(task, cases, block_size_of(mine)), on_vgpu);
  std::vector<toolchain::Artifact> artifacts;
  for (const Known& k : known) artifacts.push_back(k.artifact);
  const std::vector<Observations> seen = observe(task, cases, artifacts, on_vgpu);
  const std::vector<Probe> probes = probes_of(task, cases, options.seed);
  std::vector<task::Case> short_rows;
  for (const Probe& probe : probes) short_rows.push_back(probe.input);
  artifacts.push_back(*own.artifact);
  const std::vector<Observations> seen_on_probes = observe(task, short_rows, artifacts, on_vgpu);

  const std::vector<ComparedCase> compared = compared_cases(task, cases, mine, options.seed);
  const SourceLines own_source{submission.shown_name, split_lines(own.text)};
  const std::vector<std::string> own_calls = runtime_calls(own.text);
  std::vector<Suspect> all;
  for (std::size_t k = 0; k < known.size(); ++k) {
    all.push_back(suspect_of(compared, own_source, known[k], seen[k]));
    all.back().pattern = pattern_of(result, known[k].cases);
    all.back().probe = probed(probes, seen_on_probes.back(), own_source, seen_on_probes[k], known[k].source);
    all.back().same_calls = known[k].runtime_calls == own_calls;
  }
  std::vector<Suspect> out = best_of_each(std::move(all));
  std::sort(out.begin(), out.end(), better);
  return out;
}

void diagnose(const task::Task& task, const Submission& submission, const GradeOptions& options, SubmissionResult& result) {
  if (result.accepted || !result.vetoes.empty()) return;
  result.diagnosis = choose(suspects(task, submission, result, options));
}

}  // namespace warpbook::grade
