#include "judge/serve/class_routes.hpp"

#include <fmt/format.h>

namespace warpbook::serve {

using nlohmann::json;

Handler with_person(Service& service, std::function<Answer(Service&, const Request&, const classroom::Person&)> handler) {
  return [&service, handler = std::move(handler)](const Request& request) {
    const std::optional<std::int64_t> number = number_in(request.name("person"));
    const auto person = number ? service.desk->people.find(*number) : Result<std::optional<classroom::Person>>(std::nullopt);
    if (!person) return service.store_failure(person.error());
    if (!*person)
      return failure(404, "not-found", fmt::format("there is nobody of the number '{}' in the class", request.name("person")),
                     request.path);
    return handler(service, request, **person);
  };
}

Handler with_person_and_task(Service& service,
                             std::function<Answer(Service&, const Request&, const classroom::Person&, const task::Task&)> handler) {
  return with_person(service, [handler = std::move(handler)](Service& s, const Request& request, const classroom::Person& person) {
    const std::shared_ptr<const Shelf> shelf = s.shelf.look();
    const task::Task* task = shelf->find(request.name("id"));
    if (task == nullptr) return failure(404, "not-found", fmt::format("there is no task '{}'", request.name("id")), request.path);
    return handler(s, request, person, *task);
  });
}

json to_json(const classroom::Person& person) {
  return {{"id", person.id},         {"login", person.login},
          {"name", person.name},     {"role", classroom::name_of(person.role)},
          {"joined", person.joined}, {"last_seen_ms", person.last_seen_ms ? json(*person.last_seen_ms) : json()}};
}

json to_json(const classroom::Cell& cell) {
  json override;
  if (cell.override)
    override = {
        {"points", cell.override->points}, {"reason", cell.override->reason}, {"by", cell.override->by}, {"set_ms", cell.override->set_ms}};
  return {{"task", cell.task},     {"attempts", cell.attempts}, {"best_points", cell.best_points}, {"points", cell.points()},
          {"passed", cell.passed}, {"medal", cell.medal},       {"provisional", cell.provisional}, {"override", std::move(override)}};
}

std::vector<std::string> task_ids(const Shelf& shelf) {
  std::vector<std::string> ids;
  for (const task::Task& task : shelf.tasks) ids.push_back(task.id);
  return ids;
}

}  // namespace warpbook::serve
