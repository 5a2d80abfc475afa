#include "judge/grade/verify_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace warpbook::grade {
namespace {

template <class List, class Value>
bool holds(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::string list_of(const std::vector<std::string>& names) { return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")); }

std::string first_failure(const SubmissionResult& r) {
  for (const CaseResult& c : r.cases)
    if (c.verdict != Verdict::kAccepted)
      return fmt::format("case {}: {} {}: {}", c.name, code_of(c.verdict), code_of(c.reason), c.fault ? c.fault->message : c.message);
  std::string text = fmt::format("{} {}: {}", code_of(r.verdict), code_of(r.reason), r.message);
  for (const Finding& f : r.findings) text += fmt::format("\n      {}:{}:{}: {}", f.file, f.line, f.column, f.message);
  return text;
}

/// Passes are counted on the virtual GPU only, and a case alone says nothing about the medal of the whole.
Check is_accepted(const Entry& e, const GateScope& scope) {
  const bool medal_counts = scope.counted && scope.whole;
  const bool medal = !medal_counts || (e.result.medal == Medal::kLost) == e.header.medal_lost;
  Check check{fmt::format("{} is accepted{}", e.name, medal_counts && e.header.medal_lost ? " and loses its medal" : ""),
              e.result.accepted && medal,
              {}};
  if (!e.result.accepted) check.detail = first_failure(e.result);
  else if (!medal) check.detail = e.header.medal_lost ? "its medal is not lost" : "medal lost: " + e.result.medal_reason;
  return check;
}

Check is_far_inside(const task::Task& task, const Entry& e) {
  Check check{fmt::format("{} stays below half of every bound", e.name), true, {}};
  for (const CaseResult& c : e.result.cases) {
    const double share = c.verdict == Verdict::kAccepted ? share_of_bound(task, c) : 0;
    if (share <= kLargestRightShare) continue;
    check.passed = false;
    check.detail += fmt::format("{}case {}: {}[{}][{}] is at {:.2f} of its bound", check.detail.empty() ? "" : "; ", c.name,
                                c.worst->tensor, c.worst->row, c.worst->column, share);
  }
  return check;
}

Check is_silent(const Entry& e) {
  Check check{fmt::format("{} runs in every order without a word from the checkers", e.name), true, {}};
  for (const CaseResult& c : e.result.cases) {
    for (const device::Fault& remark : c.remarks) {
      const std::string place = remark.frames.empty() ? "" : fmt::format("{}:{}: ", remark.frames.front().file, remark.frames.front().line);
      check.passed = false;
      check.detail += fmt::format("{}case {}: {}{}", check.detail.empty() ? "" : "; ", c.name, place, remark.message);
    }
  }
  return check;
}

std::string verdict_list(const SubmissionHeader& header) {
  std::string out;
  for (const Verdict v : header.verdicts) out += fmt::format("{}{}", out.empty() ? "" : " or ", code_of(v));
  for (const Reason r : header.reasons) out += fmt::format(" {}", code_of(r));
  return out;
}

/// The declared cases that were run: all but those left out by --case and those that a real GPU cannot run.
std::vector<std::string> declared_of(const Entry& e) {
  std::vector<std::string> out;
  for (const std::string& name : e.header.cases) {
    const bool ran = std::any_of(e.result.cases.begin(), e.result.cases.end(), [&](const CaseResult& c) { return c.name == name; });
    if (ran) out.push_back(name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// A declared name that is no case at all, or empty.
std::string unknown_case(const task::Task& task, const Entry& e) {
  for (const std::string& name : e.header.cases)
    if (std::none_of(task.cases.begin(), task.cases.end(), [&](const task::Case& c) { return c.name == name; })) return name;
  return {};
}

/// Sorted names, all of them among `all`, and not none where there are any.
bool some_of(const std::vector<std::string>& names, const std::vector<std::string>& all) {
  return names.empty() == all.empty() && std::includes(all.begin(), all.end(), names.begin(), names.end());
}

/// Exactly the declared cases fail, each with the declared verdict and one of the declared reasons. A real GPU has no checkers: there a fault
/// shows as a wrong value, as an error of the launch or not at all, so some of the declared cases fail, however they do, and no other.
Check fails_as_declared(const task::Task& task, const Entry& e, const GateScope& scope) {
  Check check{fmt::format("{} fails as declared", e.name), false, {}};
  const auto& verdicts = e.header.verdicts;
  if (holds(verdicts, Verdict::kCompileError) || holds(verdicts, Verdict::kVeto)) {
    check.passed = holds(verdicts, e.result.verdict);
    if (!check.passed) check.detail = fmt::format("it got {}, declared {}", first_failure(e.result), verdict_list(e.header));
    return check;
  }
  std::vector<std::string> got;
  for (const CaseResult& c : e.result.cases)
    if (c.verdict != Verdict::kAccepted) got.push_back(c.name);
  std::sort(got.begin(), got.end());
  const std::vector<std::string> declared = declared_of(e);
  if (e.result.cases.empty()) check.detail = first_failure(e.result);
  else if (const std::string name = unknown_case(task, e); !name.empty()) check.detail = fmt::format("there is no case {}", name);
  else if (!(scope.counted ? got == declared : some_of(got, declared)))
    check.detail = fmt::format("it fails in {}; declared: {}", list_of(got), list_of(declared));
  if (!check.detail.empty()) return check;
  check.passed = !scope.counted;
  if (check.passed) return check;
  for (const CaseResult& c : e.result.cases) {
    if (c.verdict == Verdict::kAccepted) continue;
    if (holds(verdicts, c.verdict) && (e.header.reasons.empty() || holds(e.header.reasons, c.reason))) continue;
    check.detail = fmt::format("case {} gives {} {}, declared {}: {}", c.name, code_of(c.verdict), code_of(c.reason),
                               verdict_list(e.header), c.message);
    return check;
  }
  check.passed = true;
  return check;
}

/// Something must tell it from a right one: a case, its medal, the compiler.
Check is_killed(const Entry& e) {
  const bool by_case = std::any_of(e.result.cases.begin(), e.result.cases.end(), [](const CaseResult& c) {
    return c.verdict != Verdict::kAccepted && c.verdict != Verdict::kJudgeError;
  });
  const bool before_cases = e.result.verdict == Verdict::kCompileError || e.result.verdict == Verdict::kVeto;
  const bool killed = by_case || before_cases || e.result.medal == Medal::kLost;
  return {fmt::format("{} is killed", e.name), killed, killed ? "" : "no case, no medal and no compiler tells it from a right one"};
}

Check is_far_outside(const task::Task& task, const Entry& e) {
  Check check{fmt::format("{} misses bounds by a factor of 2 or more", e.name), true, {}};
  for (const CaseResult& c : e.result.cases) {
    if (c.verdict != Verdict::kWrongAnswer || c.reason != Reason::kValue) continue;
    const double share = share_of_bound(task, c);
    if (share == 0 || share >= kLeastWrongShare) continue;
    check.passed = false;
    check.detail += fmt::format("{}case {} kills it by {:.2f} bounds only", check.detail.empty() ? "" : "; ", c.name, share);
  }
  return check;
}

}  // namespace

double share_of_bound(const task::Task& task, const CaseResult& result) {
  const auto same = std::find_if(task.cases.begin(), task.cases.end(), [&](const task::Case& c) { return c.name == result.name; });
  if (!result.worst || same == task.cases.end() || same->check == task::CheckKind::kFinite) return 0;
  const double error = result.worst->error, bound = result.worst->bound;
  if (std::isnan(error) || error == 0) return 0;
  return bound > 0 ? error / bound : std::numeric_limits<double>::infinity();
}

std::vector<Check> checks_of(const task::Task& task, const Entry& e, const GateScope& scope) {
  if (!e.problem.what.empty()) return {{fmt::format("{} can be judged", e.name), false, e.problem.text()}};
  // Right but wasteful: the medal is what tells it from a right one.
  const bool right = e.kind != EntryKind::kWrong || (e.header.verdicts == std::vector{Verdict::kAccepted} && e.header.medal_lost);
  std::vector<Check> checks;
  checks.push_back(right ? is_accepted(e, scope) : fails_as_declared(task, e, scope));
  // A GPU is given a hundred times the rows: the largest of their errors says nothing about the cases that were chosen for their distance.
  if (right && scope.counted) checks.push_back(is_far_inside(task, e));
  if (right && scope.counted) checks.push_back(is_silent(e));
  if (e.kind == EntryKind::kWrong && scope.counted && scope.whole) checks.push_back(is_killed(e));
  if (!right && scope.counted) checks.push_back(is_far_outside(task, e));
  return checks;
}

std::vector<Check> checks_of_cases(const task::Task& task, const std::vector<Entry>& entries) {
  std::vector<Check> checks;
  for (const task::Case& c : task.cases) {
    const bool kills = std::any_of(entries.begin(), entries.end(), [&](const Entry& e) {
      return e.kind == EntryKind::kWrong && std::any_of(e.result.cases.begin(), e.result.cases.end(), [&](const CaseResult& r) {
               return r.name == c.name && r.verdict != Verdict::kAccepted && r.verdict != Verdict::kJudgeError;
             });
    });
    checks.push_back({fmt::format("case {} kills a wrong submission", c.name), kills, kills ? "" : "every wrong submission passes it"});
  }
  return checks;
}

}  // namespace warpbook::grade
