#pragma once
// One learner of a class in PostgreSQL. Nothing of another learner can be read or changed through it, whatever number is asked for.
#include <cstdint>
#include <memory>
#include <optional>

#include "judge/store/postgres.hpp"
#include "judge/store/store.hpp"

namespace warpbook::store {

/// The store of the person of that number, who must be in `people`: else every writing call is an Error. Cheap to make; threads and
/// processes may use as many as they like. The schema must be up to date (postgres_schema.hpp).
std::unique_ptr<Store> learner_store(std::shared_ptr<PostgresPool> pool, std::int64_t person);

/// Store::begin_attempt and finish_attempt inside a transaction of the caller's, who records something else with it. `judges_again`: the
/// attempt whose text it is the new verdict of.
Result<std::int64_t> begin_attempt_in(PostgresTransaction& transaction, std::int64_t person, const NewAttempt& attempt,
                                      std::optional<std::int64_t> judges_again = std::nullopt);
Status finish_attempt_in(PostgresTransaction& transaction, std::int64_t person, std::int64_t id, const AttemptOutcome& outcome);

/// For whoever reads attempts of a class by statements of their own: columns of `attempts a`, and the attempt in such a row (without
/// result_json).
extern const char* const kAttemptColumns;
inline constexpr int kAttemptColumnCount = 12;
Attempt attempt_at(const SqlRows& rows, int row);

}  // namespace warpbook::store
