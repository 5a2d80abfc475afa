#pragma once
// The store of a run whose database may go away for a while. A learner has waited for a verdict, and the judge has it: it would be a pity
// to lose it because somebody starts the database again. So each call of a run is tried again while the database cannot be reached, for
// some time, and whoever watches the run is told what it waits for; when the time is over the run goes on, and says that it is not on
// record.
#include <chrono>
#include <functional>
#include <memory>

#include "judge/store/store.hpp"

namespace warpbook::serve {

/// The whole is shorter than the program waits for a reply (remote_store.cpp: a minute).
struct Patience {
  std::chrono::milliseconds whole{45'000};
  std::chrono::milliseconds between{500};
};

class PatientStore final : public store::Store {
 public:
  struct Words {
    std::function<bool()> reachable;                         ///< whether the database answers; then an Error is no matter of waiting
    std::function<void()> waiting;                           ///< a call did not get through and is tried again; once for each call
    std::function<void(const Error&)> lost;                  ///< an attempt could not be begun or ended
    std::function<bool(std::chrono::milliseconds)> give_up;  ///< waits so long; true: nobody wants this any more
  };
  PatientStore(std::shared_ptr<store::Store> behind, Patience patience, Words words)
      : behind_(std::move(behind)), patience_(patience), words_(std::move(words)) {}

  Result<std::int64_t> begin_attempt(const store::NewAttempt& attempt) override;
  Status finish_attempt(std::int64_t id, const store::AttemptOutcome& outcome) override;
  Result<std::vector<store::Attempt>> attempts(const std::string& task, int limit) override;
  Result<std::optional<store::Attempt>> attempt(std::int64_t id) override;
  Result<std::optional<std::string>> source(const std::string& hash) override;
  Result<std::vector<store::RecordedMeasurement>> measurements(const std::string& task, int limit) override;
  Result<store::Progress> progress(const std::string& task) override;
  Result<std::vector<store::Progress>> all_progress() override;
  Result<int> hint_level(const std::string& task, const std::string& blank) override;
  Status record_hint(const store::ShownHint& hint) override;
  Result<std::vector<store::ShownHint>> hints_shown(const std::string& task, const std::string& blank) override;
  Status record_solution_opened(const std::string& task) override;
  Status record_answers(const std::vector<store::AnsweredQuestion>& answers) override;
  Result<std::vector<store::AnsweredQuestion>> answers(const std::string& task) override;
  Result<std::uint64_t> learner_seed() override;

 private:
  template <class Call>
  auto patiently(const Call& call) -> decltype(call());

  std::shared_ptr<store::Store> behind_;
  const Patience patience_;
  const Words words_;
};

}  // namespace warpbook::serve
