#include "judge/serve/rejudge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "judge/grade/score.hpp"
#include "judge/grade/verdict.hpp"
#include "judge/serve/dry_store.hpp"
#include "judge/serve/service.hpp"
#include "judge/toolchain/scratch.hpp"

namespace warpbook::serve {

using classroom::Recorded;
using nlohmann::json;

namespace {

constexpr std::size_t kMostAtOnce = 4, kMostRemembered = 20;
constexpr std::chrono::milliseconds kNextLookAtRun{1000};
/// Points are sums of halves and quarters.
constexpr double kSamePoints = 1e-9;

std::vector<std::string> failed_cases(const std::string& result_json) {
  const json result = json::parse(result_json, nullptr, false);
  std::vector<std::string> failed;
  if (!result.is_object()) return failed;
  for (const json& c : result.value("cases", json::array()))
    if (c.value("verdict", "AC") != "AC") failed.push_back(c.value("name", ""));
  return failed;
}

double part(const json& result, const char* name) { return result.value("score", json::object()).value(name, 0.0); }

double points_of_code(const json& result) { return part(result, "normal") + part(result, "boundary") + part(result, "efficiency"); }

bool differs(const json& before, const json& after) {
  return before.value("verdict", "") != after.value("verdict", "") || before.value("medal", "") != after.value("medal", "") ||
         std::abs(points_of_code(before) - points_of_code(after)) > kSamePoints;
}

/// An answer that the task marks as fatal, or a claim without a record, took all points; no change of the code's cases gives them back.
bool vetoed_by_answers(const json& result) {
  for (const json& veto : result.value("vetoes", json::array())) {
    const std::string reason = veto.value("reason", "");
    if (reason == grade::code_of(grade::Reason::kFatalMisconception) || reason == grade::code_of(grade::Reason::kUnprovenMeasurement))
      return true;
  }
  return false;
}

/// Only the code was judged again: what answers earned when the attempt was made is added, whatever the learner's sheet says today.
void keep_answers(const store::AttemptOutcome& before, const json& result_before, store::AttemptOutcome& after, json result_after) {
  for (const char* name : {"explanation", "questions"}) result_after["score"][name] = part(result_before, name);
  after.points = points_of_code(result_after) + part(result_before, "explanation") + part(result_before, "questions");
  after.passed = result_after.value("accepted", false) && after.points >= grade::kPassPoints;
  after.provisional = before.provisional;
  result_after["score"]["total"] = after.points;
  result_after["passed"] = after.passed;
  result_after["answers"] = result_before.value("answers", json::array());
  after.result_json = dumped(result_after);
}

/// Why points are fewer, for the history of overrides.
std::string override_reason(const RejudgeChange& change) {
  constexpr std::size_t kMostNamed = 5;
  const std::vector<std::string>& failed = change.failed_now;
  const std::vector<std::string> named(failed.begin(), failed.begin() + static_cast<std::ptrdiff_t>(std::min(failed.size(), kMostNamed)));
  std::string cases = failed.empty() ? "" : fmt::format(", not accepted: {}", fmt::join(named, ", "));
  if (named.size() < failed.size()) cases += fmt::format(" and {} more", failed.size() - named.size());
  return fmt::format("judged again: {} in place of {}{}", change.outcome.verdict, change.verdict_before, cases);
}

}  // namespace

const char* name_of(RejudgeState state) {
  switch (state) {
    case RejudgeState::kRunning: return "running";
    case RejudgeState::kEnded: return "ended";
    case RejudgeState::kCancelled: return "cancelled";
    case RejudgeState::kApplied: return "applied";
  }
  return "running";
}

json to_json(const RejudgeChange& change) {
  return {{"person", change.person.id},
          {"login", change.person.login},
          {"name", change.person.name},
          {"before", {{"verdict", change.verdict_before}, {"points", change.points_before}}},
          {"after", {{"verdict", change.outcome.verdict}, {"points", change.outcome.points}}},
          {"failed_now", change.failed_now},
          {"recorded", change.recorded}};
}

struct Rejudges::Rejudge {
  std::int64_t number = 0;
  std::string task, file;
  RejudgeState state = RejudgeState::kRunning;
  int done = 0, of = 0;
  std::vector<RejudgeChange> changes;
  json troubles = json::array();  ///< [{person, name, message}] of whom could not be judged again
  std::vector<RejudgeEvent> events;
  bool cancelled = false;
  bool applying = false;
  std::string run;  ///< that goes now
  std::thread worker;
};

std::optional<std::string> Rejudges::begin(Service& service, const std::string& task, const std::string& file,
                                           std::vector<classroom::Submission> attempts) {
  const std::lock_guard lock(mutex_);
  const auto going = std::count_if(rejudges_.begin(), rejudges_.end(), [](const Pointer& r) { return r->state == RejudgeState::kRunning; });
  if (over_ || static_cast<std::size_t>(going) >= kMostAtOnce) return std::nullopt;
  for (auto old = rejudges_.begin(); old != rejudges_.end() && rejudges_.size() >= kMostRemembered;) {
    const bool gone = (*old)->state != RejudgeState::kRunning && !(*old)->applying;
    if (gone && (*old)->worker.joinable()) (*old)->worker.join();
    old = gone ? rejudges_.erase(old) : std::next(old);
  }
  const auto rejudge = std::make_shared<Rejudge>();
  rejudge->number = ++latest_;
  rejudge->task = task;
  rejudge->file = file;
  rejudge->of = static_cast<int>(attempts.size());
  rejudges_.push_back(rejudge);
  rejudge->worker =
      std::thread([this, &service, rejudge, attempts = std::move(attempts)]() mutable { work(service, rejudge, std::move(attempts)); });
  return std::to_string(rejudge->number);
}

void Rejudges::work(Service& service, const Pointer& rejudge, std::vector<classroom::Submission> attempts) {
  const auto ended = [&] {
    const std::lock_guard lock(mutex_);
    return rejudge->cancelled || over_;
  };
  for (const classroom::Submission& one : attempts) {
    if (ended()) break;
    judge(service, rejudge, one);
    const std::lock_guard lock(mutex_);
    if (rejudge->cancelled || over_) break;
    ++rejudge->done;
    tell(*rejudge, {"progress", {{"done", rejudge->done}, {"of", rejudge->of}}});
  }
  const std::lock_guard lock(mutex_);
  rejudge->state = rejudge->cancelled || over_ ? RejudgeState::kCancelled : RejudgeState::kEnded;
  tell(*rejudge, {"ended", {{"state", name_of(rejudge->state)}}});
}

void Rejudges::judge(Service& service, const Pointer& rejudge, const classroom::Submission& one) {
  const auto trouble = [&](const std::string& message) {
    const std::lock_guard lock(mutex_);
    if (rejudge->cancelled || over_) return;
    const json told = {{"person", one.person.id}, {"name", one.person.name}, {"message", message}};
    rejudge->troubles.push_back(told);
    tell(*rejudge, {"trouble", told});
  };
  if (!one.source) return trouble("the text of the attempt was not kept");
  learner::Workbook workbook = service.workbook_of(one.person.id, "en");
  const auto dry = std::make_shared<DryStore>(workbook.progress);
  // A folder without the learner's answers, in which a run changes nothing of theirs.
  const Result<toolchain::Scratch> folder = toolchain::Scratch::make(workbook.cache());
  if (!folder) return trouble(folder.error().text());
  workbook.own = folder->folder();
  workbook.progress = dry;
  RunOrder order;
  order.task = rejudge->task;
  order.text = *one.source;
  order.file = rejudge->file;
  order.owner = -rejudge->number;
  order.workbook = workbook;
  order.seed_file = service.desk->config.seed_file;
  order.overlay = service.desk->config.overlay;
  const Result<RunView> entered = service.runs.enter(std::move(order));
  if (!entered) return trouble(entered.error().what);
  {
    const std::lock_guard lock(mutex_);
    rejudge->run = entered->id;
    if (rejudge->cancelled) service.runs.cancel(entered->id, -rejudge->number);
  }
  std::string said = "the run was cancelled";
  for (;;) {
    const auto run = service.runs.wait(entered->id, -rejudge->number, static_cast<std::size_t>(-1), kNextLookAtRun);
    const bool stop = [&] {
      const std::lock_guard lock(mutex_);
      return rejudge->cancelled || over_;
    }();
    if (stop) service.runs.cancel(entered->id, -rejudge->number);
    if (!run || run->over()) break;
  }
  const auto run = service.runs.look(entered->id, -rejudge->number);
  if (run && !run->events.empty() && run->events.back()->name == "failed") said = run->events.back()->data.value("message", said);
  if (!run || run->state != RunState::kEnded || !dry->begun() || !dry->ended()) return trouble(said);
  // The list of best attempts comes without results.
  const auto whole = service.desk->submissions.find(one.attempt.id);
  if (!whole) return trouble(whole.error().what);
  if (!*whole) return trouble("the attempt is no longer on record");
  const store::AttemptOutcome& was = (*whole)->attempt.outcome;
  store::AttemptOutcome now = *dry->ended();
  const json result_before = json::parse(was.result_json, nullptr, false), result_now = json::parse(now.result_json, nullptr, false);
  if (!result_before.is_object() || !result_now.is_object()) return trouble("the result of the attempt cannot be read");
  if (vetoed_by_answers(result_before) || !differs(result_before, result_now)) return;
  keep_answers(was, result_before, now, result_now);
  RejudgeChange change{one.person, one.attempt.id, one.judged_again, was.verdict, was.points, *dry->begun(), std::move(now), {}, false};
  change.failed_now = failed_cases(change.outcome.result_json);
  const std::lock_guard lock(mutex_);
  if (rejudge->cancelled || over_) return;
  tell(*rejudge, {"change", to_json(change)});
  rejudge->changes.push_back(std::move(change));
}

Rejudges::Pointer Rejudges::find(const std::string& id) const {
  const auto found = std::find_if(rejudges_.begin(), rejudges_.end(), [&](const Pointer& r) { return std::to_string(r->number) == id; });
  return found == rejudges_.end() ? nullptr : *found;
}

RejudgeView Rejudges::view(const Rejudge& rejudge, std::size_t from) const {
  RejudgeView view;
  json changes = json::array();
  for (const RejudgeChange& change : rejudge.changes) changes.push_back(to_json(change));
  view.whole = {{"rejudge", std::to_string(rejudge.number)},
                {"task", rejudge.task},
                {"state", name_of(rejudge.state)},
                {"done", rejudge.done},
                {"of", rejudge.of},
                {"changes", std::move(changes)},
                {"troubles", rejudge.troubles}};
  view.over = rejudge.state != RejudgeState::kRunning;
  for (std::size_t i = from; i < rejudge.events.size(); ++i) view.events.push_back(rejudge.events[i]);
  return view;
}

void Rejudges::tell(Rejudge& rejudge, RejudgeEvent event) {
  rejudge.events.push_back(std::move(event));
  news_.notify_all();
}

std::optional<RejudgeView> Rejudges::look(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const Pointer rejudge = find(id);
  if (!rejudge) return std::nullopt;
  return view(*rejudge, rejudge->events.size());
}

std::optional<RejudgeView> Rejudges::wait(const std::string& id, std::size_t seen, std::chrono::milliseconds patience) const {
  std::unique_lock lock(mutex_);
  const Pointer rejudge = find(id);
  if (!rejudge) return std::nullopt;
  news_.wait_for(lock, patience, [&] { return over_ || rejudge->state != RejudgeState::kRunning || rejudge->events.size() > seen; });
  return view(*rejudge, seen);
}

bool Rejudges::cancel(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const Pointer rejudge = find(id);
  if (!rejudge) return false;
  if (rejudge->state == RejudgeState::kRunning) rejudge->cancelled = true;
  return true;
}

std::optional<Rejudges::Applied> Rejudges::apply(Service& service, const std::string& id, std::int64_t by) {
  Pointer rejudge;
  Applied applied;
  {
    const std::lock_guard lock(mutex_);
    rejudge = find(id);
    if (!rejudge) return std::nullopt;
    const bool ended = rejudge->state == RejudgeState::kEnded || rejudge->state == RejudgeState::kApplied;
    applied.ready = ended && !rejudge->applying;
    applied.applying = rejudge->applying;
    if (!applied.ready) return applied;
    rejudge->applying = true;  // nobody else changes `changes` until it is false
  }
  for (RejudgeChange& change : rejudge->changes) {
    if (change.recorded || change.superseded) continue;
    const auto done = service.desk->second_verdicts.record(
        {change.person.id, change.attempt, change.known, change.begun, change.outcome, override_reason(change), by});
    if (!done) {
      applied.trouble = done.error();
      break;
    }
    const std::lock_guard lock(mutex_);
    change.recorded = *done == Recorded::kAttempt || *done == Recorded::kAttemptAndOverride;
    applied.recorded += change.recorded ? 1 : 0;
    applied.overridden += *done == Recorded::kAttemptAndOverride ? 1 : 0;
    if (change.recorded) continue;
    change.superseded = true;
    const char* why =
        *done == Recorded::kAnotherIsBest
            ? "another attempt is the best one by now: nothing was changed; judge again to look at that one"
            : "another rejudge of this attempt was applied since: nothing was changed; judge again to see what would change now";
    const json told = {{"person", change.person.id}, {"name", change.person.name}, {"message", why}};
    rejudge->troubles.push_back(told);
    tell(*rejudge, {"trouble", told});
  }
  const std::lock_guard lock(mutex_);
  rejudge->applying = false;
  if (!applied.trouble) rejudge->state = RejudgeState::kApplied;
  return applied;
}

void Rejudges::end() {
  const std::lock_guard lock(mutex_);
  over_ = true;
  news_.notify_all();
}

void Rejudges::stop() {
  end();
  std::vector<std::thread> workers;
  {
    const std::lock_guard lock(mutex_);
    for (const Pointer& rejudge : rejudges_)
      if (rejudge->worker.joinable()) workers.push_back(std::move(rejudge->worker));
  }
  for (std::thread& worker : workers) worker.join();
}

}  // namespace warpbook::serve
