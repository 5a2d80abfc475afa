#include "judge/classroom/person_row.hpp"

namespace warpbook::classroom {

Person person_at(const store::SqlRows& rows, int row, int first) {
  Person person;
  person.id = rows.integer(row, first);
  person.login = rows.text(row, first + 1);
  person.name = rows.text(row, first + 2);
  person.role = find_role(rows.text(row, first + 3)).value_or(Role::kLearner);
  person.joined = rows.boolean(row, first + 4);
  person.last_seen_ms = rows.maybe_integer(row, first + 5);
  return person;
}

}  // namespace warpbook::classroom
