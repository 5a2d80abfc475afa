#include "judge/grade/score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpbook::grade {
namespace {

/// Lanes that read a few elements twice (a tail, a broadcast) do not make another pass.
constexpr double kPassTolerance = 0.05;

bool all_accepted(const SubmissionResult& result, task::CaseKind kind) {
  bool any = false;
  for (const CaseResult& c : result.cases) {
    if (c.kind != kind) continue;
    any = true;
    if (c.verdict != Verdict::kAccepted) return false;
  }
  return any;
}

/// In the order of Medal.
constexpr std::array<std::string_view, 5> kMedalNames = {"none", "lost", "bronze", "silver", "gold"};

/// Of the efficiency points of an open problem.
double efficiency_share(Medal medal) {
  switch (medal) {
    case Medal::kGold: return 1.0;
    case Medal::kSilver: return 0.75;
    case Medal::kBronze: return 0.5;
    default: return 0.0;
  }
}

std::string broken_promise(const task::PassLimit& limit, const CaseResult& c) {
  for (const PassCount& p : c.passes) {
    if (p.tensor != limit.tensor) continue;
    if (limit.read >= 0 && p.read > limit.read + kPassTolerance)
      return fmt::format("{} is read {:.2f} times in case {}, {:.2f} would do", p.tensor, p.read, c.name, limit.read);
    if (limit.write >= 0 && p.write > limit.write + kPassTolerance)
      return fmt::format("{} is written {:.2f} times in case {}, {:.2f} would do", p.tensor, p.write, c.name, limit.write);
  }
  return {};
}

std::string broken_promise(const task::BlockLimit& limit, const CaseResult& c) {
  if (c.name != limit.case_name) return {};
  if (limit.least > 0 && c.blocks < limit.least)
    return fmt::format("case {} runs on {} block{}, {} or more would keep more multiprocessors at work", c.name, c.blocks,
                       c.blocks == 1 ? "" : "s", limit.least);
  if (limit.most > 0 && c.blocks > limit.most)
    return fmt::format("case {} runs on {} blocks, {} would do: threads without a column could take another row", c.name, c.blocks,
                       limit.most);
  return {};
}

}  // namespace

std::string_view name_of(Medal medal) { return kMedalNames[static_cast<std::size_t>(medal)]; }

std::optional<Medal> find_medal(std::string_view name) {
  const auto found = std::find(kMedalNames.begin(), kMedalNames.end(), name);
  if (found == kMedalNames.end()) return std::nullopt;
  return static_cast<Medal>(found - kMedalNames.begin());
}

Medal medal_of_share(double share_of_ceiling) {
  if (!(share_of_ceiling >= kBronzeShare)) return Medal::kNone;  // also when it is no number
  if (share_of_ceiling < kSilverShare) return Medal::kBronze;
  return share_of_ceiling < kGoldShare ? Medal::kSilver : Medal::kGold;
}

void judge_share(const std::optional<double>& share_of_ceiling, SubmissionResult& result) {
  result.medal = Medal::kNone;
  result.medal_reason.clear();
  if (!result.accepted) return;
  if (!share_of_ceiling) {
    result.medal_reason = "not measured";
    return;
  }
  result.medal = medal_of_share(*share_of_ceiling);
  result.medal_reason = fmt::format("{:.2f} of the copy ceiling", *share_of_ceiling);
  if (result.medal != Medal::kGold) {
    const double next = result.medal == Medal::kNone ? kBronzeShare : result.medal == Medal::kBronze ? kSilverShare : kGoldShare;
    result.medal_reason += fmt::format(", the next medal needs {:.2f}", next);
  }
}

Score score(const task::Task& task, const SubmissionResult& result) {
  Score s;
  s.normal_of = task.points.normal;
  s.boundary_of = task.points.boundary;
  s.efficiency_of = task.points.efficiency;
  s.explanation_of = task.points.explain;
  for (const AnswerResult& a : result.answers) {
    const bool explanation = task.explanation && a.id == task.explanation->id;
    (explanation ? s.explanation : s.questions) += a.points;
    if (!explanation) s.questions_of += a.of;
  }
  if (!result.vetoes.empty()) return s;
  if (all_accepted(result, task::CaseKind::kNormal)) s.normal = s.normal_of;
  if (all_accepted(result, task::CaseKind::kBoundary)) s.boundary = s.boundary_of;
  if (result.accepted) s.efficiency = s.efficiency_of * efficiency_share(result.medal);
  return s;
}

void summarise_cases(SubmissionResult& result) {
  const auto adopt = [&](const CaseResult& c) {
    result.verdict = c.verdict;
    result.reason = c.reason;
    result.message = fmt::format("{}: {}", c.name, c.message);
  };
  const auto ours =
      std::find_if(result.cases.begin(), result.cases.end(), [](const CaseResult& c) { return c.verdict == Verdict::kJudgeError; });
  if (ours != result.cases.end()) return adopt(*ours);
  const auto failed =
      std::find_if(result.cases.begin(), result.cases.end(), [](const CaseResult& c) { return c.verdict != Verdict::kAccepted; });
  if (failed != result.cases.end()) return adopt(*failed);
  result.verdict = Verdict::kAccepted;
  result.reason = Reason::kNone;
  result.message.clear();
  result.accepted = !result.cases.empty();
}

void judge_medal(const task::Task& task, SubmissionResult& result) {
  result.promised = task.passes;
  if (task.passes.empty() || !result.accepted) return;
  bool measured = false;
  const auto lose_by = [&](const auto& limits, const CaseResult& c) {
    for (const auto& limit : limits) {
      result.medal_reason = broken_promise(limit, c);
      if (!result.medal_reason.empty()) return true;
    }
    return false;
  };
  for (const CaseResult& c : result.cases) {
    if (c.passes.empty()) continue;
    const bool normal = c.kind == task::CaseKind::kNormal;
    measured |= normal;
    if ((normal && lose_by(task.passes, c)) || lose_by(task.blocks, c)) {
      result.medal = Medal::kLost;
      return;
    }
  }
  if (measured) result.medal = Medal::kGold;
}

}  // namespace warpbook::grade
