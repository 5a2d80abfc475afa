#pragma once
// The tables of the progress file and their history.
#include "judge/store/database.hpp"

namespace warpbook::store {

/// The version this judge writes.
int schema_version();

/// Whether a file is ours and sound enough to write to: a damaged one, one of another program or of a newer judge is an Error. Writes
/// nothing.
Status check_file(Database& database);

/// Brings a file up to that version, step by step, in one transaction. Two processes may do this at once.
Status migrate(Database& database);

}  // namespace warpbook::store
