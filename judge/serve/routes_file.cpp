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
  const Result<FileChange> change = change_in(request.json, asked.task);
  if (!change) return failure(422, "bad-change", change.error().what, "body");
  const std::lock_guard lock(service.writing);
  const Written written = write_learner_file(asked.workbook, asked.task, *change);
  switch (written.kind) {
    case Written::Kind::kDone: return as_json(to_json(written.file));
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

/// Tells each version of a file that came to rest on disk.
class FileEvents {
 public:
  FileEvents(Service& service, std::shared_ptr<const Shelf> shelf, const task::Task& task, std::string known)
      : service_(service),
        shelf_(std::move(shelf)),
        task_(task),
        known_(std::move(known)),
        watcher_(learner::work_file(service.workbook, task), watch::FileWatcher::wanted_way()) {}

  bool next(std::string& out) {
    if (std::exchange(first_, false)) {
      tell(out, !known_.empty());
      return !service_.ending();
    }
    pollfd ready{watcher_.descriptor(), POLLIN, 0};
    ::poll(&ready, watcher_.descriptor() < 0 ? 0 : 1, static_cast<int>(watcher_.patience().count()));
    if (watcher_.saved()) tell(out, true);
    return !service_.ending();
  }

 private:
  void tell(std::string& out, bool when_other) {
    const Result<LearnerFile> file = look_at_file(service_.workbook, task_);
    if (!file || file->version == known_) return;
    if (when_other) out += event_text("changed", {{"version", file->version}}, file->version);
    known_ = file->version;
  }

  Service& service_;
  std::shared_ptr<const Shelf> shelf_;
  const task::Task& task_;
  std::string known_;
  watch::FileWatcher watcher_;
  bool first_ = true;
};

/// A stream that was cut goes on behind what its reader knows: the version of the last event, or the one named in the query.
Answer follow(Service& service, const Request& request, const Asked& asked) {
  std::string known = request.header("last-event-id");
  if (known.empty() && request.query.count("version") > 0) known = request.query.at("version");
  const auto events = std::make_shared<FileEvents>(service, asked.shelf, asked.task, std::move(known));
  Answer answer;
  answer.events = [events](std::string& out) { return events->next(out); };
  return answer;
}

}  // namespace

void add_file_routes(Router& router, Service& service) {
  router.add("GET", "/api/tasks/{id}/file", with_task(service, show_file));
  router.add("PUT", "/api/tasks/{id}/file", Body::kJson, with_task(service, write));
  router.add("GET", "/api/tasks/{id}/file/events", with_task(service, follow));
}

}  // namespace warpbook::serve
