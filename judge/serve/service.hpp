#pragma once
// What the routes share.
#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "judge/learner/workbook.hpp"
#include "judge/serve/class_desk.hpp"
#include "judge/serve/file_signals.hpp"
#include "judge/serve/http.hpp"
#include "judge/serve/kept_pages.hpp"
#include "judge/serve/recordings.hpp"
#include "judge/serve/rejudge.hpp"
#include "judge/serve/run_queue.hpp"
#include "judge/serve/store_door.hpp"
#include "judge/serve/task_shelf.hpp"

namespace warpbook::serve {

struct Service {
  /// `desk`: of a class; null for one learner. (By reference: `queue` may look at it while it is still the caller's.)
  Service(learner::Workbook home, RunQueueOptions queue, std::unique_ptr<ClassDesk>&& desk);

  learner::Workbook workbook;
  std::unique_ptr<ClassDesk> desk;
  TaskShelf shelf;
  KeptPages pages;
  StoreDoor store;  ///< of the one learner
  RunQueue runs;
  Rejudges rejudges;
  Recordings recordings;
  FileSignals written;                                  ///< of a class: which learners' files were written
  std::function<bool()> ending = [] { return false; };  ///< streams end when it says so
  const std::int64_t began_ms;                          ///< since 1970, UTC; what began before and never ended was interrupted

  /// The workbook of whoever asks, in their language.
  learner::Workbook workbook_for(const Request& request) const;
  learner::Workbook workbook_of(std::int64_t person, const std::string& language) const;
  /// What is on record of the learner whose workbook it is.
  Result<std::shared_ptr<store::Store>> open_store(const learner::Workbook& of);
  /// Held by whoever changes a file of this learner's.
  std::mutex& writing(const learner::Workbook& of);
  /// The store's own words as an answer: 500, or in a class 503 while its database is away.
  Answer store_failure(const Error& error) const;

 private:
  std::array<std::mutex, 64> writing_;
};

/// A handler that uses the service and no task.
Handler with_service(Service& service, Answer (*function)(Service&, const Request&));

/// Whose: the number of who asks; 0 for the one learner.
std::int64_t owner_of(const Request& request);

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

/// How messages and pages call the learner's file: "work/05-layernorm/exercise.cu", wherever it lies.
std::string known_name(const learner::Workbook& workbook, const std::filesystem::path& file);

/// A number in a path; nothing when it is none.
std::optional<std::int64_t> number_in(const std::string& text);

}  // namespace warpbook::serve
