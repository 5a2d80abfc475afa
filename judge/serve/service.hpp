#pragma once
// What the routes share.
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "judge/learner/workbook.hpp"
#include "judge/serve/http.hpp"
#include "judge/serve/run_queue.hpp"
#include "judge/serve/store_door.hpp"
#include "judge/serve/task_shelf.hpp"

namespace warpbook::serve {

struct Service {
  Service(learner::Workbook home, RunQueueOptions queue)
      : workbook(std::move(home)), shelf(workbook.root), store(workbook.store_file()), runs(std::move(queue)) {}

  learner::Workbook workbook;
  TaskShelf shelf;
  StoreDoor store;
  RunQueue runs;
  std::mutex writing;                                   ///< held by whoever changes a file of the learner's
  std::function<bool()> ending = [] { return false; };  ///< streams end when it says so

  learner::Workbook workbook_for(const Request& request) const {
    learner::Workbook own = workbook;
    own.language = request.language();
    return own;
  }
};

/// The task that a request is about, and the workbook in the request's language.
struct Asked {
  std::shared_ptr<const Shelf> shelf;  ///< keeps `task` alive
  const task::Task& task;
  learner::Workbook workbook;
};

/// A handler for a path with {id}: 404 when there is no such task.
Handler with_task(Service& service, std::function<Answer(const Request&, const Asked&)> handler);
/// The same for a handler that uses the service itself.
Handler with_task(Service& service, std::function<Answer(Service&, const Request&, const Asked&)> handler);

/// 500 with the store's own words.
Answer store_failure(const Error& error);

}  // namespace warpbook::serve
