#pragma once
// A learner's store that only looks as if it recorded: what a run would have put there is kept here. For judging again before anybody has
// decided that the new verdicts count.
#include <memory>
#include <optional>

#include "judge/store/store.hpp"

namespace warpbook::serve {

class DryStore final : public store::Store {
 public:
  explicit DryStore(std::shared_ptr<store::Store> behind) : behind_(std::move(behind)) {}

  /// What the run would have recorded; nothing when it did not come so far. Read after the run.
  const std::optional<store::NewAttempt>& begun() const { return begun_; }
  const std::optional<store::AttemptOutcome>& ended() const { return ended_; }

  Result<std::int64_t> begin_attempt(const store::NewAttempt& attempt) override {
    begun_ = attempt;
    return std::int64_t{1};
  }
  Status finish_attempt(std::int64_t, const store::AttemptOutcome& outcome) override {
    ended_ = outcome;
    return Done{};
  }
  Status record_hint(const store::ShownHint&) override { return Done{}; }
  Status record_solution_opened(const std::string&) override { return Done{}; }
  Status record_answers(const std::vector<store::AnsweredQuestion>&) override { return Done{}; }

  Result<std::vector<store::Attempt>> attempts(const std::string& task, int limit) override { return behind_->attempts(task, limit); }
  Result<std::optional<store::Attempt>> attempt(std::int64_t id) override { return behind_->attempt(id); }
  Result<std::optional<std::string>> source(const std::string& hash) override { return behind_->source(hash); }
  Result<std::vector<store::RecordedMeasurement>> measurements(const std::string& task, int limit) override {
    return behind_->measurements(task, limit);
  }
  Result<store::Progress> progress(const std::string& task) override { return behind_->progress(task); }
  Result<std::vector<store::Progress>> all_progress() override { return behind_->all_progress(); }
  Result<int> hint_level(const std::string& task, const std::string& blank) override { return behind_->hint_level(task, blank); }
  Result<std::vector<store::ShownHint>> hints_shown(const std::string& task, const std::string& blank) override {
    return behind_->hints_shown(task, blank);
  }
  Result<std::vector<store::AnsweredQuestion>> answers(const std::string& task) override { return behind_->answers(task); }
  Result<std::uint64_t> learner_seed() override { return behind_->learner_seed(); }

 private:
  std::shared_ptr<store::Store> behind_;
  std::optional<store::NewAttempt> begun_;
  std::optional<store::AttemptOutcome> ended_;
};

}  // namespace warpbook::serve
