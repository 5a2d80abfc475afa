#pragma once
// Judging again: the task got a further case, or a case was wrong, and the verdicts of a class are to follow. First everybody's best
// attempt is judged as if today, and nothing is recorded; an instructor looks at what would change; then it is applied, or not. The runs
// stand in the same queue as those of learners and take turns with them.
#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "judge/classroom/submissions.hpp"
#include "judge/store/store.hpp"
#include "judge/task/task.hpp"

namespace warpbook::serve {

struct Service;

enum class RejudgeState { kRunning, kEnded, kCancelled, kApplied };
const char* name_of(RejudgeState state);

/// One learner whose verdict, points, pass or medal would be another.
struct RejudgeChange {
  classroom::Person person;
  std::int64_t attempt = 0;           ///< that was judged again
  std::optional<std::int64_t> known;  ///< the latest verdict of judging it again before this one
  std::string verdict_before;
  double points_before = 0;
  store::NewAttempt begun;  ///< what would be recorded
  store::AttemptOutcome outcome;
  std::vector<std::string> failed_now;  ///< cases
  bool recorded = false;
  bool superseded = false;  ///< when it was applied, the learner had another best attempt or another rejudge had been there
};
nlohmann::json to_json(const RejudgeChange& change);

struct RejudgeEvent {
  std::string name;  ///< progress, change, trouble, ended
  nlohmann::json data;
};

/// {rejudge, task, state, done, of, changes, troubles}; `events` from where was asked.
struct RejudgeView {
  nlohmann::json whole;
  bool over = false;
  std::vector<RejudgeEvent> events;
};

class Rejudges {
 public:
  Rejudges() = default;
  ~Rejudges() { stop(); }
  Rejudges(const Rejudges&) = delete;
  Rejudges& operator=(const Rejudges&) = delete;

  /// Begins with the attempts given; the number of the rejudge. Nothing: too many go already.
  std::optional<std::string> begin(Service& service, const std::string& task, const std::string& file,
                                   std::vector<classroom::Submission> attempts);
  std::optional<RejudgeView> look(const std::string& id) const;
  /// Waits until there are more than `seen` events, it is over, or the patience ends.
  std::optional<RejudgeView> wait(const std::string& id, std::size_t seen, std::chrono::milliseconds patience) const;
  bool cancel(const std::string& id);
  /// Records what would change as attempts, each once, also when it is asked for again. The best attempt counts, so where points are fewer
  /// now, an override in the name of `by` puts them in place, unless a person gave points already. Who has another best attempt by now was
  /// not judged again by this, and whose attempt another rejudge has recorded a verdict of since is not as it was looked at: nothing is
  /// done to them, and a trouble says so. Nothing: there is no such rejudge.
  struct Applied {
    int recorded = 0, overridden = 0;
    bool ready = true;             ///< false: it has not ended, or was cancelled
    bool applying = false;         ///< somebody else's request applies it now
    std::optional<Error> trouble;  ///< the database's; what was recorded before stays, and the rest can be asked for again
  };
  std::optional<Applied> apply(Service& service, const std::string& id, std::int64_t by);
  /// Begins nothing more and gives up what goes.
  void end();
  /// The same, and returns when nothing goes any more.
  void stop();

 private:
  struct Rejudge;
  using Pointer = std::shared_ptr<Rejudge>;
  Pointer find(const std::string& id) const;
  RejudgeView view(const Rejudge& rejudge, std::size_t from) const;
  void tell(Rejudge& rejudge, RejudgeEvent event);
  void work(Service& service, const Pointer& rejudge, std::vector<classroom::Submission> attempts);
  void judge(Service& service, const Pointer& rejudge, const classroom::Submission& one);

  mutable std::mutex mutex_;
  mutable std::condition_variable news_;
  std::list<Pointer> rejudges_;
  std::int64_t latest_ = 0;
  bool over_ = false;
};

}  // namespace warpbook::serve
