#pragma once
// A learner's best attempt judged again, and what came of it put on record: as an attempt, and where points are fewer as an override, since
// the best attempt counts. All of it in one transaction that first looks whether the learner still stands where they stood: two instructors
// (or two servers) who looked at the same attempt and both say yes must not both be obeyed.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "judge/store/postgres.hpp"
#include "judge/store/store.hpp"

namespace warpbook::classroom {

struct SecondVerdict {
  std::int64_t person = 0;
  std::int64_t attempt = 0;                ///< that was judged again: their best of its task when it was looked at
  std::optional<std::int64_t> known = {};  ///< the latest second verdict on it that was on record then (Submission::judged_again)
  store::NewAttempt begun;
  store::AttemptOutcome outcome;
  std::string reason;   ///< of the override, where points are fewer
  std::int64_t by = 0;  ///< the instructor's number
};

/// What became of one. Of the last two nothing changed.
enum class Recorded {
  kAttempt,
  kAttemptAndOverride,
  kAnotherIsBest,     ///< the learner has another best attempt by now
  kJudgedAgainSince,  ///< somebody else's second verdict on the same attempt is on record by now
};

class SecondVerdicts {
 public:
  explicit SecondVerdicts(std::shared_ptr<store::PostgresPool> pool) : pool_(std::move(pool)) {}

  /// Points that a person gave stay. On an Error nothing changed.
  Result<Recorded> record(const SecondVerdict& verdict);

 private:
  std::shared_ptr<store::PostgresPool> pool_;
};

}  // namespace warpbook::classroom
