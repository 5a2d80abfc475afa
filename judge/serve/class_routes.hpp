#pragma once
// What the routes of instructors share.
#include <functional>

#include "judge/classroom/people.hpp"
#include "judge/serve/routes.hpp"
#include "judge/serve/service.hpp"

namespace warpbook::serve {

/// A handler for a path with {person}: 404 when nobody in the class has that number.
Handler with_person(Service& service, std::function<Answer(Service&, const Request&, const classroom::Person&)> handler);
/// The same for a path that also has a task's {id}.
Handler with_person_and_task(Service& service,
                             std::function<Answer(Service&, const Request&, const classroom::Person&, const task::Task&)> handler);

/// {id, login, name, role, joined, last_seen_ms}
nlohmann::json to_json(const classroom::Person& person);
/// {task, attempts, best_points, points, passed, medal, provisional, override}
nlohmann::json to_json(const classroom::Cell& cell);

/// Ids of all tasks, in the order of the map.
std::vector<std::string> task_ids(const Shelf& shelf);

/// Most that a task can give.
inline constexpr double kPointsOfTask = 10;

}  // namespace warpbook::serve
