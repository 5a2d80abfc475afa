#pragma once
// The tables of a class and their history, in the schema `warpbook` of one database.
#include "judge/store/postgres.hpp"

namespace warpbook::store {

/// Makes the schema or brings it up to the version that this judge writes, step by step, in one transaction; servers that start at once
/// wait for each other. A schema of another program or of a newer judge is an Error and stays as it is.
Status migrate(PostgresPool& pool);

}  // namespace warpbook::store
