#include "judge/classroom/gradebook_export.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "judge/classroom/csv.hpp"

namespace warpbook::classroom {
namespace {

using nlohmann::json;

/// Whether there is anything to grade.
bool touched(const Cell& cell) { return cell.attempts > 0 || cell.override; }

/// What is said of a cell beside its points.
std::string remark_on(const Cell& cell) {
  if (cell.override) return fmt::format("{} points given by the instructor: {}", cell.override->points, cell.override->reason);
  if (cell.attempts == 0) return "not tried";
  return fmt::format("{} attempt{}, {}{}", cell.attempts, cell.attempts == 1 ? "" : "s", cell.passed ? "passed" : "not passed",
                     cell.provisional ? ", points for text are provisional" : "");
}

/// ISO 8601 with milliseconds, as AGS wants it.
std::string time_text(std::int64_t ms) {
  const std::time_t seconds = static_cast<std::time_t>(ms / 1000);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds), ms % 1000);
}

double sum_of(const std::vector<GradebookTask>& tasks) {
  double sum = 0;
  for (const GradebookTask& task : tasks) sum += task.of;
  return sum;
}

/// The cell of the task at `place`; an empty one when the row is shorter.
const Cell& cell_of(const GradebookRow& row, std::size_t place) {
  static const Cell none;
  return place < row.cells.size() ? row.cells[place] : none;
}

json score_object(const GradebookTask& task, const Person& person, const Cell& cell) {
  const bool waits = cell.provisional && !cell.override;
  return {{"userId", person.login},
          {"scoreGiven", cell.points()},
          {"scoreMaximum", task.of},
          {"activityProgress", cell.passed || cell.override ? "Completed" : "InProgress"},
          {"gradingProgress", waits ? "PendingManual" : "FullyGraded"},
          {"timestamp", time_text(cell.changed_ms)},
          {"comment", remark_on(cell)}};
}

}  // namespace

std::string gradebook_csv(const std::vector<GradebookTask>& tasks, const std::vector<GradebookRow>& rows) {
  std::string out = "login,name";
  for (const GradebookTask& task : tasks) out += "," + csv_cell(task.id);
  out += ",total,provisional\r\n";
  for (const GradebookRow& row : rows) {
    out += csv_cell(row.person.login) + "," + csv_cell(row.person.name);
    for (std::size_t i = 0; i < tasks.size(); ++i) out += touched(cell_of(row, i)) ? fmt::format(",{}", cell_of(row, i).points()) : ",";
    const auto provisional = std::count_if(row.cells.begin(), row.cells.end(), [](const Cell& c) { return c.provisional && !c.override; });
    out += fmt::format(",{},{}\r\n", row.total(), provisional);
  }
  return out;
}

json gradebook_gradescope(const std::vector<GradebookTask>& tasks, const std::vector<GradebookRow>& rows) {
  json out = json::array();
  for (const GradebookRow& row : rows) {
    json tests = json::array();
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const Cell& cell = cell_of(row, i);
      tests.push_back({{"number", std::to_string(i + 1)},
                       {"name", fmt::format("{} {}", tasks[i].id, tasks[i].title)},
                       {"score", cell.points()},
                       {"max_score", tasks[i].of},
                       {"output", remark_on(cell)}});
    }
    out.push_back({{"login", row.person.login},
                   {"name", row.person.name},
                   {"score", row.total()},
                   {"max_score", sum_of(tasks)},
                   {"tests", std::move(tests)}});
  }
  return out;
}

json gradebook_lms(const std::vector<GradebookTask>& tasks, const std::vector<GradebookRow>& rows) {
  json items = json::array();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    json scores = json::array();
    for (const GradebookRow& row : rows)
      if (touched(cell_of(row, i))) scores.push_back(score_object(tasks[i], row.person, cell_of(row, i)));
    items.push_back({{"resourceId", tasks[i].id}, {"label", tasks[i].title}, {"scoreMaximum", tasks[i].of}, {"scores", std::move(scores)}});
  }
  return {{"lineItems", std::move(items)}};
}

}  // namespace warpbook::classroom
