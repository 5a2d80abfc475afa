#pragma once
// The tables of a class and their history, in the schema `warpbook` of one database.
#include "judge/store/postgres.hpp"

namespace warpbook::store {

/// The version this judge writes.
int postgres_schema_version();

/// Makes the schema or brings it up to that version, step by step, in one transaction; servers that start at once wait for each other.
/// A schema of another program or of a newer judge is an Error and stays as it is.
Status migrate(PostgresPool& pool);

}  // namespace warpbook::store
