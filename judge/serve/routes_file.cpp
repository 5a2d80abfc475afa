// The learner's file: read, written, and told of when somebody else writes it.
#include <fmt/format.h>
#include <poll.h>

#include "judge/learner/work_folder.hpp"
#include "judge/serve/events.hpp"
#include "judge/serve/learner_file.hpp"
#include "judge/serve/routes.hpp"
#include "judge/watch/file_watcher.hpp"

namespace warpbook::serve {
namespace {

using nlohmann::json;

/// Learners of a class cannot delete, and the disk is everybody's.
constexpr int kMostCopiesInClass = 20;

Answer show_file(const Request&, const Asked& asked) {
  const Result<LearnerFile> file = look_at_file(asked.workbook, asked.task);
  if (!file) return failure(500, "broken-task", file.error());
  return as_json(to_json(*file));
}

/// The change that a body asks for. The Error is the client's.
Result<FileChange> change_in(const json& body, const task::Task& task) {
  FileChange change;
  if (!body.contains("base_version") || !body["base_version"].is_string())
    return Error{"'base_version' is missing or no text, expected the version that was read"};
  change.base_version = body["base_version"];
  const bool lesson = task.kind == task::TaskKind::kLesson;
  const char* wanted = lesson ? "blanks" : "text";
  for (const auto& [name, value] : body.items())
    if (name != "base_version" && name != wanted && !(lesson && name == "restore"))
      return Error{fmt::format("'{}' is not part of a write to {}, expected {} and base_version", name, task.id, wanted)};
  if (!lesson) {
    if (!body.contains("text") || !body["text"].is_string()) return Error{"'text' is missing, expected the whole file"};
    change.text = body["text"].get<std::string>();
    return change;
  }
  if (!body.contains("blanks") || !body["blanks"].is_object())
    return Error{"'blanks' is missing, expected an object: name of the blank to text"};
  for (const auto& [name, value] : body["blanks"].items()) {
    if (!value.is_string()) return Error{fmt::format("blank '{}' is a {}, expected a text", name, value.type_name())};
    change.blanks[name] = value.get<std::string>();
  }
  if (body.contains("restore") && !body["restore"].is_boolean()) return Error{"'restore' is not true or false"};
  change.restore = body.value("restore", false);
  return change;
}

Answer write(Service& service, const Request& request, const Asked& asked) {
  Result<FileChange> change = change_in(request.json, asked.task);
  if (!change) return failure(422, "bad-change", change.error().what, "body");
  if (service.desk) {
    change->most_bytes = service.desk->config.limits.source_bytes;
    change->most_copies = kMostCopiesInClass;
  }
  const std::lock_guard lock(service.writing(asked.workbook));
  const Written written = write_learner_file(asked.workbook, asked.task, *change);
  switch (written.kind) {
    case Written::Kind::kDone:
      service.written.announce(learner::work_file(asked.workbook, asked.task));
      return as_json(to_json(written.file));
    case Written::Kind::kConflict: {
      Answer answer = failure(409, "conflict", "the file on disk is not the one that was changed");
      json body = json::parse(answer.body);
      body["theirs"] = to_json(written.file);
      answer.body = dumped(body);
      return answer;
    }
    case Written::Kind::kRefused: return failure(422, "bad-change", written.error);
    case Written::Kind::kTooLarge: return failure(413, "too-large", written.error);
    case Written::Kind::kFailed: break;
  }
  return failure(500, "not-written", written.error);
}

/// Waits for what anybody wrote to a file on this machine.
class WatchedFile {
 public:
  explicit WatchedFile(const std::filesystem::path& file) : watcher_(file, watch::FileWatcher::wanted_way()) {}

  bool was_written() {
    pollfd ready{watcher_.descriptor(), POLLIN, 0};
    ::poll(&ready, watcher_.descriptor() < 0 ? 0 : 1, static_cast<int>(watcher_.patience().count()));
    return watcher_.saved();
  }

 private:
  watch::FileWatcher watcher_;
};

/// Waits for what this server wrote to a file: all there is in a class.
class AnnouncedFile {
 public:
  AnnouncedFile(const FileSignals& signals, std::string file) : signals_(signals), file_(std::move(file)), seen_(signals.count(file_)) {}

  bool was_written() {
    constexpr std::chrono::milliseconds kPatience{1000};
    return std::exchange(seen_, signals_.wait(file_, seen_, kPatience)) != seen_;
  }

 private:
  const FileSignals& signals_;
  const std::string file_;
  std::uint64_t seen_;
};

/// Tells each version of a file that came to rest on disk.
class FileEvents {
 public:
  FileEvents(Service& service, const Asked& asked, std::string known)
      : service_(service), shelf_(asked.shelf), task_(asked.task), workbook_(asked.workbook), known_(std::move(known)) {
    const std::filesystem::path file = learner::work_file(workbook_, task_);
    if (service.desk) announced_.emplace(service.written, file.string());
    else watched_.emplace(file);
  }

  bool next(std::string& out) {
    if (std::exchange(first_, false)) {
      tell(out, !known_.empty());
      return !service_.ending();
    }
    if (announced_ ? announced_->was_written() : watched_->was_written()) tell(out, true);
    return !service_.ending();
  }

 private:
  void tell(std::string& out, bool when_other) {
    const Result<LearnerFile> file = look_at_file(workbook_, task_);
    if (!file || file->version == known_) return;
    if (when_other) out += event_text("changed", {{"version", file->version}}, file->version);
    known_ = file->version;
  }

  Service& service_;
  std::shared_ptr<const Shelf> shelf_;
  const task::Task& task_;
  const learner::Workbook workbook_;
  std::string known_;
  std::optional<WatchedFile> watched_;
  std::optional<AnnouncedFile> announced_;
  bool first_ = true;
};

/// A stream that was cut goes on behind what its reader knows: the version of the last event, or the one named in the query.
Answer follow(Service& service, const Request& request, const Asked& asked) {
  std::string known = request.header("last-event-id");
  if (known.empty() && request.query.count("version") > 0) known = request.query.at("version");
  const auto events = std::make_shared<FileEvents>(service, asked, std::move(known));
  Answer answer;
  answer.events = [events](std::string& out) { return events->next(out); };
  return answer;
}

}  // namespace

void add_file_routes(Router& router, Service& service) {
  router.add(Access::kLearner, "GET", "/api/tasks/{id}/file", with_task(service, show_file));
  router.add(Access::kLearner, "PUT", "/api/tasks/{id}/file", Body::kJson, with_task(service, write));
  router.add(Access::kLearner, "GET", "/api/tasks/{id}/file/events", with_task(service, follow));
}

}  // namespace warpbook::serve
