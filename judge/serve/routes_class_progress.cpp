// Instructors: the progress of everybody in one table, and the gradebook as a file.
#include <fmt/format.h>

#include "judge/classroom/gradebook_export.hpp"
#include "judge/serve/class_routes.hpp"

namespace warpbook::serve {
namespace {

using nlohmann::json;

Answer class_progress(Service& service, const Request& request) {
  const std::shared_ptr<const Shelf> shelf = service.shelf.look();
  const auto rows = service.desk->gradebook.rows(task_ids(*shelf));
  if (!rows) return service.store_failure(rows.error());
  json tasks = json::array(), people = json::array();
  for (const task::Task& task : shelf->tasks) tasks.push_back({{"id", task.id}, {"title", task.title.in(request.language())}});
  for (const classroom::GradebookRow& row : *rows) {
    json cells = json::array();
    for (const classroom::Cell& cell : row.cells) cells.push_back(to_json(cell));
    people.push_back({{"id", row.person.id},
                      {"login", row.person.login},
                      {"name", row.person.name},
                      {"total", row.total()},
                      {"cells", std::move(cells)}});
  }
  return as_json({{"tasks", std::move(tasks)}, {"people", std::move(people)}});
}

Answer gradebook(Service& service, const Request& request) {
  const auto wanted = request.query.find("format");
  const std::string format = wanted == request.query.end() ? "csv" : wanted->second;
  if (format != "csv" && format != "gradescope" && format != "lms")
    return failure(400, "bad-format", fmt::format("format is '{}', expected csv, gradescope or lms", format), "query: format");
  const std::shared_ptr<const Shelf> shelf = service.shelf.look();
  const auto rows = service.desk->gradebook.rows(task_ids(*shelf));
  if (!rows) return service.store_failure(rows.error());
  std::vector<classroom::GradebookTask> tasks;
  for (const task::Task& task : shelf->tasks) tasks.push_back({task.id, task.title.in(request.language()), kPointsOfTask});
  Answer answer;
  if (format == "csv") {
    answer.type = "text/csv; charset=utf-8";
    answer.body = classroom::gradebook_csv(tasks, *rows);
  } else {
    answer = as_json(format == "lms" ? classroom::gradebook_lms(tasks, *rows) : classroom::gradebook_gradescope(tasks, *rows));
  }
  const char* name = format == "csv" ? "gradebook.csv" : format == "lms" ? "gradebook-lms.json" : "gradebook-gradescope.json";
  answer.headers.emplace_back("Content-Disposition", fmt::format("attachment; filename=\"{}\"", name));
  return answer;
}

}  // namespace

void add_class_progress_routes(Router& router, Service& service) {
  router.add(Access::kInstructor, "GET", "/api/class/progress", with_service(service, class_progress));
  router.add(Access::kInstructor, "GET", "/api/class/gradebook", with_service(service, gradebook));
}

}  // namespace warpbook::serve
