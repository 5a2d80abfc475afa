#pragma once
// One learner of a class in PostgreSQL. Nothing of another learner can be read or changed through it, whatever number is asked for.
#include <cstdint>
#include <memory>

#include "judge/store/postgres.hpp"
#include "judge/store/store.hpp"

namespace warpbook::store {

/// The store of the person of that number, who must be in `people`: else every writing call is an Error. Cheap to make; threads and
/// processes may use as many as they like. The schema must be up to date (postgres_schema.hpp).
std::unique_ptr<Store> learner_store(std::shared_ptr<PostgresPool> pool, std::int64_t person);

/// For whoever reads attempts of a class by statements of their own: columns of `attempts a`, and the attempt in such a row (without
/// result_json).
extern const char* const kAttemptColumns;
inline constexpr int kAttemptColumnCount = 12;
Attempt attempt_at(const SqlRows& rows, int row);

}  // namespace warpbook::store
