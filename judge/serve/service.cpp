#include "judge/serve/service.hpp"

#include <fmt/format.h>

namespace warpbook::serve {

Handler with_task(Service& service, std::function<Answer(const Request&, const Asked&)> handler) {
  return [&service, handler = std::move(handler)](const Request& request) {
    std::shared_ptr<const Shelf> shelf = service.shelf.look();
    const task::Task* task = shelf->find(request.name("id"));
    if (task == nullptr) return failure(404, "not-found", fmt::format("there is no task '{}'", request.name("id")), request.path);
    return handler(request, {std::move(shelf), *task, service.workbook_for(request)});
  };
}

Handler with_task(Service& service, std::function<Answer(Service&, const Request&, const Asked&)> handler) {
  return with_task(service, [&service, handler = std::move(handler)](const Request& request, const Asked& asked) {
    return handler(service, request, asked);
  });
}

Answer store_failure(const Error& error) { return failure(500, "no-store", error); }

}  // namespace warpbook::serve
