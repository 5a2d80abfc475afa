#include "judge/classroom/second_verdicts.hpp"

#include "judge/classroom/overrides.hpp"
#include "judge/store/now.hpp"
#include "judge/store/postgres_store.hpp"

namespace warpbook::classroom {

using store::PostgresTransaction, store::SqlRows;

Result<Recorded> SecondVerdicts::record(const SecondVerdict& verdict) {
  if (Status ok = check_reason(verdict.reason); !ok) return ok.error();
  Result<PostgresTransaction> transaction = PostgresTransaction::begin(*pool_);
  if (!transaction) return transaction.error();
  const std::string& task = verdict.begun.task;
  if (Status locked = lock_learner(*transaction, verdict.person); !locked) return locked.error();
  // Whoever ends an attempt of the learner's waits for this row, too: what is best stays so until the end of the transaction.
  const Result<SqlRows> best =
      transaction->run("SELECT best, points FROM reached WHERE person = $1 AND task = $2 FOR UPDATE", {verdict.person, task});
  if (!best) return best.error();
  if (best->empty() || best->maybe_integer(0, 0) != verdict.attempt) return Recorded::kAnotherIsBest;
  const Result<SqlRows> again = transaction->run("SELECT max(id) FROM attempts WHERE judges_again = $1", {verdict.attempt});
  if (!again) return again.error();
  if (again->maybe_integer(0, 0) != verdict.known) return Recorded::kJudgedAgainSince;

  const Result<std::int64_t> id = store::begin_attempt_in(*transaction, verdict.person, verdict.begun, verdict.attempt);
  if (!id) return id.error();
  if (Status done = store::finish_attempt_in(*transaction, verdict.person, *id, verdict.outcome); !done) return done.error();
  const Result<std::optional<double>> given = standing_override(*transaction, verdict.person, task);
  if (!given) return given.error();
  const bool lowers = verdict.outcome.points < best->real(0, 1) && !*given;
  if (lowers) {
    const Override entry{verdict.person, task, verdict.outcome.points, verdict.reason, verdict.by, store::now_ms()};
    if (Status done = set_override_in(*transaction, entry); !done) return done.error();
  }
  if (Status done = transaction->commit(); !done) return done.error();
  return lowers ? Recorded::kAttemptAndOverride : Recorded::kAttempt;
}

}  // namespace warpbook::classroom
