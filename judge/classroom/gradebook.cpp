#include "judge/classroom/gradebook.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "judge/classroom/person_row.hpp"

namespace warpbook::classroom {
namespace {

using store::SqlRows;

/// What was reached and what overrides stand, of everybody or narrowed by a WHERE; either may be without the other.
constexpr char kCells[] = R"(
  SELECT coalesce(r.person, o.person), coalesce(r.task, o.task), r.attempts, r.points, r.passed, r.medal, r.provisional, r.best_ms,
         o.points, o.reason, o.by_person, o.set_ms
  FROM (SELECT * FROM reached {0}) r FULL JOIN (
    SELECT * FROM (SELECT DISTINCT ON (person, task) * FROM overrides {0} ORDER BY person, task, id DESC) latest
    WHERE points IS NOT NULL) o
    ON o.person = r.person AND o.task = r.task)";

/// The row of kCells.
Cell cell_at(const SqlRows& rows, int row) {
  Cell cell;
  cell.task = rows.text(row, 1);
  cell.attempts = static_cast<int>(rows.integer(row, 2));
  cell.best_points = rows.real(row, 3);
  cell.passed = rows.boolean(row, 4);
  cell.medal = rows.boolean(row, 5);
  cell.provisional = rows.boolean(row, 6);
  cell.changed_ms = rows.integer(row, 7);
  if (rows.is_null(row, 8)) return cell;
  cell.override = {rows.integer(row, 0), cell.task, rows.real(row, 8), rows.text(row, 9), rows.integer(row, 10), rows.integer(row, 11)};
  cell.provisional = false;
  cell.changed_ms = cell.override->set_ms;
  return cell;
}

}  // namespace

double GradebookRow::total() const {
  double sum = 0;
  for (const Cell& cell : cells) sum += cell.points();
  return sum;
}

Result<std::vector<GradebookRow>> Gradebook::rows(const std::vector<std::string>& tasks) {
  Result<store::PostgresLease> lease = pool_->take();
  if (!lease) return lease.error();
  const Result<SqlRows> people = lease->run(fmt::format(
      "SELECT {} FROM people p WHERE p.removed_ms IS NULL AND p.role = 'learner' ORDER BY p.name, p.login_key", kPersonColumns));
  if (!people) return people.error();
  const Result<SqlRows> cells = lease->run(fmt::format(kCells, ""));
  if (!cells) return cells.error();

  std::unordered_map<std::string, std::size_t> place_of;
  for (std::size_t i = 0; i < tasks.size(); ++i) place_of.emplace(tasks[i], i);
  std::unordered_map<std::int64_t, std::size_t> row_of;
  std::vector<GradebookRow> rows;
  for (int i = 0; i < people->size(); ++i) {
    GradebookRow row{person_at(*people, i), std::vector<Cell>(tasks.size())};
    for (std::size_t k = 0; k < tasks.size(); ++k) row.cells[k].task = tasks[k];
    row_of.emplace(row.person.id, rows.size());
    rows.push_back(std::move(row));
  }
  for (int i = 0; i < cells->size(); ++i) {
    const auto row = row_of.find(cells->integer(i, 0));
    if (row == row_of.end()) continue;
    Cell cell = cell_at(*cells, i);
    const auto place = place_of.find(cell.task);
    if (place != place_of.end()) rows[row->second].cells[place->second] = std::move(cell);
  }
  return rows;
}

Result<Cell> Gradebook::cell(std::int64_t person, const std::string& task) {
  const Result<SqlRows> rows = pool_->run(fmt::format(kCells, "WHERE person = $1 AND task = $2"), {person, task});
  if (!rows) return rows.error();
  if (!rows->empty()) return cell_at(*rows, 0);
  Cell untouched;
  untouched.task = task;
  return untouched;
}

}  // namespace warpbook::classroom
