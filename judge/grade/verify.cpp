#include "judge/grade/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "judge/base/files.hpp"
#include "judge/grade/pool.hpp"
#include "judge/grade/result_json.hpp"
#include "judge/grade/verify_static.hpp"

namespace warpbook::grade {
namespace {

namespace fs = std::filesystem;

enum class Kind { kSolution, kCorrect, kWrong };

struct Entry {
  Kind kind = Kind::kSolution;
  std::string name;  ///< relative to the task's folder
  Submission submission;
  SubmissionHeader header;
  Error problem;  ///< what() empty: none
  SubmissionResult result;
};

Entry read_entry(Kind kind, const fs::path& file, const std::string& name) {
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
  if (kind == Kind::kSolution) return e;
  Result<SubmissionHeader> header = read_submission_header(name, e.submission.text);
  if (header) e.header = std::move(*header);
  if (!header) e.problem = header.error();
  return e;
}

void read_folder(std::vector<Entry>& entries, Kind kind, const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& item : fs::directory_iterator(folder, ignored))
    if (item.path().extension() == ".cu") files.push_back(item.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) entries.push_back(read_entry(kind, file, prefix + file.filename().string()));
}

/// Submissions are graded side by side, each in a process of its own that hands its cases back as JSON.
void grade_all(const task::Task& task, std::vector<Entry>& entries, const GradeOptions& options) {
  GradeOptions one = options;
  one.jobs = 1;
  one.progress = nullptr;
  const auto job = [&](int i) { return to_json(grade_code(task, entries[static_cast<std::size_t>(i)].submission, one)).dump(); };
  int ended = 0;
  const auto done = [&](int i, const JobEnd& end) {
    Entry& e = entries[static_cast<std::size_t>(i)];
    Result<SubmissionResult> result =
        end.ok ? submission_from_text(end.text) : Result<SubmissionResult>(Error{"the judge's process ended early"});
    if (result) e.result = std::move(*result);
    if (!result) e.problem = result.error();
    if (options.progress) options.progress(++ended, static_cast<int>(entries.size()), e.name);
  };
  run_pool(static_cast<int>(entries.size()), {options.jobs, {}}, job, done);
}

std::string list_of(const std::vector<std::string>& names) { return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")); }

std::vector<std::string> failed_cases(const SubmissionResult& r) {
  std::vector<std::string> out;
  for (const CaseResult& c : r.cases)
    if (c.verdict != Verdict::kAccepted) out.push_back(c.name);
  return out;
}

std::string first_failure(const SubmissionResult& r) {
  for (const CaseResult& c : r.cases)
    if (c.verdict != Verdict::kAccepted)
      return fmt::format("case {}: {} {}: {}", c.name, code_of(c.verdict), code_of(c.reason), c.fault ? c.fault->message : c.message);
  std::string text = fmt::format("{} {}: {}", code_of(r.verdict), code_of(r.reason), r.message);
  for (const Finding& f : r.findings) text += fmt::format("\n      {}:{}:{}: {}", f.file, f.line, f.column, f.message);
  return text;
}

/// Passes are counted on the virtual GPU only: a real one says nothing about the medal.
Check check_right(const Entry& e, const GradeOptions& options) {
  const bool counted = options.device == DeviceKind::kVirtual && options.only_cases.empty();
  const bool medal = !counted || (e.header.medal_lost ? e.result.medal == Medal::kLost : e.result.medal != Medal::kLost);
  Check check{fmt::format("{} is accepted{}", e.name, counted && e.header.medal_lost ? " and loses its medal" : ""),
              e.result.accepted && medal,
              {}};
  if (!e.result.accepted) check.detail = first_failure(e.result);
  if (e.result.accepted && !medal) check.detail = e.header.medal_lost ? "its medal is not lost" : "medal lost: " + e.result.medal_reason;
  return check;
}

std::string verdict_list(const SubmissionHeader& header) {
  std::string out;
  for (const Verdict v : header.verdicts) out += fmt::format("{}{}", out.empty() ? "" : " or ", code_of(v));
  for (const Reason r : header.reasons) out += fmt::format(" {}", code_of(r));
  return out;
}

/// Exactly the declared cases fail, each with the declared verdict and one of the declared reasons.
Check check_wrong(const Entry& e, const GradeOptions& options) {
  Check check{fmt::format("{} fails as declared", e.name), false, {}};
  const auto declares = [&](Verdict v) {
    return std::find(e.header.verdicts.begin(), e.header.verdicts.end(), v) != e.header.verdicts.end();
  };
  if (declares(Verdict::kCompileError) || declares(Verdict::kVeto)) {
    check.passed = declares(e.result.verdict);
    check.detail = check.passed ? "" : fmt::format("it got {}, declared {}", first_failure(e.result), verdict_list(e.header));
    return check;
  }
  std::vector<std::string> got = failed_cases(e.result), declared = e.header.cases;
  if (!options.only_cases.empty()) {
    const auto left_out = [&](const std::string& name) {
      return std::find(options.only_cases.begin(), options.only_cases.end(), name) == options.only_cases.end();
    };
    declared.erase(std::remove_if(declared.begin(), declared.end(), left_out), declared.end());
  }
  std::sort(got.begin(), got.end());
  std::sort(declared.begin(), declared.end());
  if (e.result.cases.empty()) check.detail = first_failure(e.result);
  else if (got != declared) check.detail = fmt::format("it fails in {}; declared: {}", list_of(got), list_of(declared));
  if (!check.detail.empty()) return check;
  for (const CaseResult& c : e.result.cases) {
    if (c.verdict == Verdict::kAccepted) continue;
    const bool reason_fits =
        e.header.reasons.empty() || std::find(e.header.reasons.begin(), e.header.reasons.end(), c.reason) != e.header.reasons.end();
    if (declares(c.verdict) && reason_fits) continue;
    check.detail = fmt::format("case {} gives {} {}, declared {}: {}", c.name, code_of(c.verdict), code_of(c.reason),
                               verdict_list(e.header), c.message);
    return check;
  }
  check.passed = true;
  return check;
}

void fill_matrix(Verification& v, const task::Task& task, const std::vector<Entry>& entries, const GradeOptions& options) {
  const auto& only = options.only_cases;
  for (const task::Case& c : task.cases)
    if (only.empty() || std::find(only.begin(), only.end(), c.name) != only.end()) v.matrix.cases.push_back(c.name);
  for (const Entry& e : entries) {
    if (e.kind != Kind::kWrong) continue;
    KillMatrix::Row row{e.name, {}, {}};
    for (const CaseResult& c : e.result.cases) {
      row.verdicts.push_back(c.verdict);
      row.reasons.push_back(c.reason);
    }
    v.matrix.rows.push_back(std::move(row));
  }
}

void check_that_cases_kill(Verification& v, const task::Task& task, const std::vector<Entry>& entries) {
  for (const task::Case& c : task.cases) {
    const bool kills = std::any_of(entries.begin(), entries.end(), [&](const Entry& e) {
      return e.kind == Kind::kWrong && std::any_of(e.result.cases.begin(), e.result.cases.end(), [&](const CaseResult& r) {
               return r.name == c.name && r.verdict != Verdict::kAccepted && r.verdict != Verdict::kJudgeError;
             });
    });
    v.checks.push_back({fmt::format("case {} kills a wrong submission", c.name), kills, kills ? "" : "every wrong submission passes it"});
  }
}

}  // namespace

nlohmann::json to_json(const Verification& v) {
  nlohmann::json checks = nlohmann::json::array(), submissions = nlohmann::json::array();
  for (const Check& c : v.checks) checks.push_back({{"what", c.what}, {"passed", c.passed}, {"detail", c.detail}});
  for (const SubmissionResult& r : v.submissions) {
    nlohmann::json cases = nlohmann::json::array();
    for (const CaseResult& c : r.cases) cases.push_back({{"name", c.name}, {"verdict", code_of(c.verdict)}, {"reason", code_of(c.reason)}});
    submissions.push_back({{"name", r.file},
                           {"verdict", code_of(r.verdict)},
                           {"reason", code_of(r.reason)},
                           {"device", r.provenance.device},
                           {"cases", cases}});
  }
  return {{"task", v.task_id}, {"checks", checks}, {"submissions", submissions}};
}

Verification verify(const task::Task& task, const GradeOptions& options) {
  Verification v;
  v.task_id = task.id;
  std::vector<Entry> entries;
  entries.push_back(read_entry(Kind::kSolution, task.solution, "solution.cu"));
  read_folder(entries, Kind::kCorrect, task.correct_folder, "correct/");
  read_folder(entries, Kind::kWrong, task.wrong_folder, "wrong/");
  for (Check& check : static_checks(task)) v.checks.push_back(std::move(check));
  if (options.device == DeviceKind::kGpu)
    entries.erase(std::remove_if(entries.begin(), entries.end(), [](const Entry& e) { return e.header.vgpu_only; }), entries.end());

  grade_all(task, entries, options);
  for (const Entry& e : entries) {
    if (!e.problem.what.empty()) v.checks.push_back({fmt::format("{} can be judged", e.name), false, e.problem.text()});
    else v.checks.push_back(e.kind == Kind::kWrong ? check_wrong(e, options) : check_right(e, options));
  }
  fill_matrix(v, task, entries, options);
  for (const Entry& e : entries) v.submissions.push_back(e.result);
  if (options.device == DeviceKind::kVirtual && options.only_cases.empty()) check_that_cases_kill(v, task, entries);
  return v;
}

}  // namespace warpbook::grade
