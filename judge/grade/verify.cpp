#include "judge/grade/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "judge/base/files.hpp"
#include "judge/base/number_json.hpp"
#include "judge/grade/answers.hpp"
#include "judge/grade/build.hpp"
#include "judge/grade/case_jobs.hpp"
#include "judge/grade/matrix_file.hpp"
#include "judge/grade/measured_counts.hpp"
#include "judge/grade/pool.hpp"
#include "judge/grade/result_cache.hpp"
#include "judge/grade/result_json.hpp"
#include "judge/grade/score.hpp"
#include "judge/grade/together.hpp"
#include "judge/grade/verify_checks.hpp"
#include "judge/grade/verify_static.hpp"
#include "judge/task/task_folder.hpp"

namespace warpbook::grade {
namespace {

namespace fs = std::filesystem;

Entry read_entry(EntryKind kind, const fs::path& file, const std::string& name) {
  Entry e;
  e.kind = kind;
  e.name = name;
  e.submission.shown_name = name;
  e.submission.trusted_whole = true;
  Result<std::string> text = read_file(file);
  if (!text) {
    e.problem = text.error();
    return e;
  }
  e.submission.text = std::move(*text);
  if (kind == EntryKind::kSolution) return e;
  Result<SubmissionHeader> header = read_submission_header(name, e.submission.text);
  if (header) e.header = std::move(*header);
  if (!header) e.problem = header.error();
  return e;
}

void read_folder(std::vector<Entry>& entries, EntryKind kind, const fs::path& folder, const std::string& prefix) {
  for (const fs::path& file : task::submissions_in(folder)) entries.push_back(read_entry(kind, file, prefix + file.filename().string()));
}

/// A right submission must be right in every order; of a wrong one the first order that shows it is enough.
bool in_every_order(const Entry& e) { return e.kind != EntryKind::kWrong; }

/// How an entry is run.
GradeOptions options_for(const Entry& e, GradeOptions options) {
  options.every_order = in_every_order(e);
  options.kernel_meters = e.kind == EntryKind::kSolution;
  return options;
}

SubmissionResult grade_entry(const task::Task& task, const Entry& e, const Built& built, const GradeOptions& options,
                             const ResultCache* cache) {
  SubmissionResult r = built.result;
  if (!built.artifact) return r;
  r.cases = run_cases(task, *built.artifact, options_for(e, options));
  summarise_cases(r);
  judge_medal(task, r);
  if (cache != nullptr) cache->keep(r, in_every_order(e));
  return r;
}

/// The kept result of an entry that nobody changed.
bool take_kept(const task::Task& task, Entry& e, const GradeOptions& options, const ResultCache& cache) {
  SubmissionResult r = begin_result(task, e.submission, options);
  r.provenance.artifact_hash = hash_of_build(task, e.submission, options);
  std::optional<SubmissionResult> known = cache.find(r, in_every_order(e));
  if (!known) return false;
  e.result = std::move(*known);
  return true;
}

/// Takes the result of a job; false when its process died.
bool take(Entry& e, const JobEnd& end) {
  Result<SubmissionResult> result =
      end.ok ? submission_from_text(end.text) : Result<SubmissionResult>(Error{"the judge's process ended early"});
  e.problem = result ? Error{} : result.error();
  if (result) e.result = std::move(*result);
  return end.ok || end.interrupted;
}

/// Submissions are graded side by side, each in a process of its own that hands its cases back as JSON. Its cases share that process: a
/// process for each would cost more than the case. Where that process dies, the submission is graded again with its cases apart, so that
/// the crash is one case's.
void grade_all(const task::Task& task, std::vector<Entry>& entries, const GradeOptions& options, const ResultCache* cache) {
  GradeOptions one = options;
  one.jobs = 1;
  one.progress = nullptr;
  one.one_process = true;
  std::vector<std::size_t> waiting, died;
  std::vector<Submission> submissions;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].problem.what.empty()) continue;
    if (cache != nullptr && take_kept(task, entries[i], options, *cache)) continue;
    waiting.push_back(i);
    submissions.push_back(entries[i].submission);
  }
  if (options.progress && !waiting.empty()) options.progress(0, static_cast<int>(waiting.size()), task.id + ": compiling");
  const std::vector<Built> built = build_together(task, submissions, options);
  // Read here, images (as many as load_image keeps) are there in every process that is forked for an entry.
  for (const Built& b : built)
    if (b.artifact && options.device == DeviceKind::kVirtual) [[maybe_unused]]
      const auto image = load_image(*b.artifact);
  std::vector<std::size_t> order(waiting.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const int total = static_cast<int>(waiting.size());
  int ended = 0;
  const auto job = [&](int i) {
    const std::size_t at = order[static_cast<std::size_t>(i)];
    return to_json(grade_entry(task, entries[waiting[at]], built[at], one, cache))
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  const auto done = [&](int i, const JobEnd& end) {
    const std::size_t at = order[static_cast<std::size_t>(i)];
    if (!take(entries[waiting[at]], end)) died.push_back(at);
    if (options.progress) options.progress(std::min(++ended, total), total, entries[waiting[at]].name);
  };
  run_pool(total, {options.jobs, {}}, job, done);
  if (died.empty()) return;
  order = std::move(died);
  died.clear();
  one.one_process = false;
  run_pool(static_cast<int>(order.size()), {options.jobs, {}}, job, done);
}

/// Whether the virtual GPU counts what a GPU counted; nothing where nothing was measured.
std::optional<Check> check_counts(const task::Task& task, const Entry& solution, const GradeOptions& options) {
  const Result<MeasuredCounts> measured = MeasuredCounts::read(options.root, task.id);
  Check check{"solution.cu costs what Nsight Compute counted on an H200", true, {}};
  if (!measured) return Check{check.what, false, measured.error().text()};
  if (measured->empty()) return std::nullopt;
  for (const CaseResult& c : solution.result.cases) {
    const std::string differences = c.verdict == Verdict::kAccepted ? measured->differences(c) : "";
    if (differences.empty()) continue;
    check.passed = false;
    check.detail += (check.detail.empty() ? "" : "; ") + differences;
  }
  return check;
}

/// What the README of the folder must hold; nothing when too little was run to say.
void check_matrix(Verification& v, const task::Task& task, const std::vector<Entry>& entries) {
  const Result<std::string> text = read_file(matrix_file(task));
  v.readme = with_section(text ? *text : "", matrix_section(task, entries), task);
  Check check{std::string(kMatrixCheck), text && *text == v.readme, {}};
  if (!check.passed)
    check.detail = fmt::format("{}: `judge verify {} --write-matrix` writes it", text ? "it holds another one" : "there is none", task.id);
  v.checks.push_back(std::move(check));
}

void fill_matrix(Verification& v, const task::Task& task, const std::vector<Entry>& entries, const GradeOptions& options) {
  const auto& only = options.only_cases;
  for (const task::Case& c : task.cases) {
    const bool left_out = c.fail != task::FailingCall::kNone && options.device == DeviceKind::kGpu;
    if (!left_out && (only.empty() || std::find(only.begin(), only.end(), c.name) != only.end())) v.matrix.cases.push_back(c.name);
  }
  for (const Entry& e : entries) {
    if (e.kind != EntryKind::kWrong) continue;
    KillMatrix::Row row{e.name, {}, {}, e.result.medal == Medal::kLost};
    for (const CaseResult& c : e.result.cases) {
      row.verdicts.push_back(c.verdict);
      row.reasons.push_back(c.reason);
    }
    v.matrix.rows.push_back(std::move(row));
  }
}

}  // namespace

nlohmann::json to_json(const Verification& v) {
  nlohmann::json checks = nlohmann::json::array(), submissions = nlohmann::json::array();
  for (const Check& c : v.checks) checks.push_back({{"what", c.what}, {"passed", c.passed}, {"detail", c.detail}});
  for (const SubmissionResult& r : v.submissions) {
    nlohmann::json cases = nlohmann::json::array();
    for (const CaseResult& c : r.cases) {
      nlohmann::json one = {{"name", c.name}, {"verdict", code_of(c.verdict)}, {"reason", code_of(c.reason)}};
      if (c.worst) one["worst"] = {{"error", number_to_json(c.worst->error)}, {"bound", number_to_json(c.worst->bound)}};
      cases.push_back(std::move(one));
    }
    submissions.push_back({{"name", r.file},
                           {"verdict", code_of(r.verdict)},
                           {"reason", code_of(r.reason)},
                           {"device", r.provenance.device},
                           {"cases", cases}});
  }
  return {{"task", v.task_id}, {"checks", checks}, {"submissions", submissions}};
}

Verification verify(const task::Task& task, const GradeOptions& options, const VerifyOptions& how) {
  Verification v;
  v.task_id = task.id;
  std::vector<Entry> entries;
  entries.push_back(read_entry(EntryKind::kSolution, task.solution, "solution.cu"));
  read_folder(entries, EntryKind::kCorrect, task.correct_folder, "correct/");
  read_folder(entries, EntryKind::kWrong, task.wrong_folder, "wrong/");
  for (Check& check : static_checks(task)) v.checks.push_back(std::move(check));
  const bool counted = options.device == DeviceKind::kVirtual;
  const GateScope scope{counted, options.only_cases.empty()};
  if (!counted)
    entries.erase(std::remove_if(entries.begin(), entries.end(), [](const Entry& e) { return e.header.vgpu_only; }), entries.end());

  const ResultCache cache(options.cache / "results", task, options);
  grade_all(task, entries, options, how.keep_results ? &cache : nullptr);
  if (!task.questions.empty())
    v.checks.push_back(check_reference_answers(task, measurements_of(entries.front().result), scope.counted && scope.whole));
  for (const Entry& e : entries)
    for (Check& check : checks_of(task, e, scope)) v.checks.push_back(std::move(check));
  if (scope.counted && options.seed == kMeasuredSeed && !options.schedule)
    if (auto check = check_counts(task, entries.front(), options)) v.checks.push_back(std::move(*check));
  fill_matrix(v, task, entries, options);
  for (const Entry& e : entries) v.submissions.push_back(e.result);
  if (!scope.counted || !scope.whole) return v;
  for (Check& check : checks_of_cases(task, entries)) v.checks.push_back(std::move(check));
  if (how.compare_matrix) check_matrix(v, task, entries);
  return v;
}

}  // namespace warpbook::grade
