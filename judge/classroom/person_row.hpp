#pragma once
// How a person stands in the tables.
#include "judge/classroom/people.hpp"

namespace warpbook::classroom {

/// Columns of `people p`, for person_at.
inline constexpr const char* kPersonColumns = "p.id, p.login, p.name, p.role, p.password IS NOT NULL, p.seen_ms";
inline constexpr int kPersonColumnCount = 6;

/// The person whose columns begin at `first`.
Person person_at(const store::SqlRows& rows, int row, int first = 0);

}  // namespace warpbook::classroom
