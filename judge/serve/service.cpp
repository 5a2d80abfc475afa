#include "judge/serve/service.hpp"

#include <fmt/format.h>

#include <charconv>

#include "judge/store/now.hpp"
#include "judge/store/postgres_store.hpp"

namespace warpbook::serve {
namespace {

/// Of a class, whose tasks change between terms and not while it works.
constexpr std::chrono::milliseconds kTasksKept{2000}, kPagesKept{60'000};

}  // namespace

Service::Service(learner::Workbook home, RunQueueOptions queue, std::unique_ptr<ClassDesk>&& of_class)
    : workbook(std::move(home)),
      desk(std::move(of_class)),
      shelf(workbook.root, desk ? kTasksKept : std::chrono::milliseconds{0}),
      pages(desk ? kPagesKept : std::chrono::milliseconds{0}),
      store(workbook.store_file()),
      runs(std::move(queue)),
      began_ms(store::now_ms()) {}

learner::Workbook Service::workbook_for(const Request& request) const {
  if (request.who) return workbook_of(request.who->id, request.language());
  learner::Workbook own = workbook;
  own.language = request.language();
  return own;
}

learner::Workbook Service::workbook_of(std::int64_t person, const std::string& language) const {
  learner::Workbook own = workbook;
  own.language = language;
  own.own = desk->config.work / std::to_string(person);
  own.progress = store::learner_store(desk->pool, person);
  return own;
}

Result<std::shared_ptr<store::Store>> Service::open_store(const learner::Workbook& of) {
  if (of.progress) return of.progress;
  return store.open();
}

std::mutex& Service::writing(const learner::Workbook& of) { return writing_[std::hash<std::string>{}(of.own.string()) % writing_.size()]; }

Answer Service::store_failure(const Error& error) const { return desk ? desk->failure_of(error) : failure(500, "no-store", error); }

std::int64_t owner_of(const Request& request) { return request.who ? request.who->id : 0; }

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

std::string known_name(const learner::Workbook& workbook, const std::filesystem::path& file) {
  return (std::filesystem::path("work") / file.lexically_relative(workbook.work())).string();
}

std::optional<std::int64_t> number_in(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Handler with_service(Service& service, Answer (*function)(Service&, const Request&)) {
  return [&service, function](const Request& request) { return function(service, request); };
}

}  // namespace warpbook::serve
