// The time machine's recording of one block, made by `judge trace` in a process of its own, one at a time, and taken back.
#include <fmt/format.h>

#include <algorithm>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"
#include "judge/grade/verdict.hpp"
#include "judge/learner/work_folder.hpp"
#include "judge/run/process.hpp"
#include "judge/serve/judge_child.hpp"
#include "judge/serve/learner_file.hpp"
#include "judge/serve/learner_view.hpp"
#include "judge/serve/routes.hpp"

namespace warpbook::serve {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds kTraceLimit{120};
/// In a class everybody waits for it: a lesson's kernel is recorded in a second or two, compiled included.
constexpr std::chrono::seconds kTraceLimitOfClass{20};
/// And nobody has two, made or waiting.
constexpr int kMostOfOneLearner = 1;
/// The exit status of a file that was judged and not accepted.
constexpr int kNotAccepted = 1;
constexpr std::uint64_t kLargestTrace = 256u << 20;

/// What a body asks for, as words of the command line. The Error is the client's.
Result<std::vector<std::string>> trace_words(const json& body, const task::Task& task) {
  std::vector<std::string> words;
  for (const auto& [name, value] : body.items()) {
    if (name == "case") {
      const bool known = value.is_string() && std::any_of(task.cases.begin(), task.cases.end(),
                                                          [&, &wanted = value](const task::Case& c) { return c.name == wanted; });
      if (!known) return Error{fmt::format("{} has no case {}", task.id, dumped(value))};
      words.insert(words.end(), {"--case", value.get<std::string>()});
    } else if (name == "block") {
      const bool three = value.is_array() && value.size() == 3 &&
                         std::all_of(value.begin(), value.end(), [](const json& n) { return n.is_number_unsigned(); });
      if (!three && !value.is_number_unsigned()) return Error{fmt::format("'block' is {}, expected a number or [x, y, z]", dumped(value))};
      words.push_back("--block");
      words.push_back(three ? fmt::format("{},{},{}", value[0].dump(), value[1].dump(), value[2].dump()) : value.dump());
    } else if (name == "launch" || name == "from" || name == "steps") {
      if (!value.is_number_unsigned()) return Error{fmt::format("'{}' is {}, expected a whole number from 0", name, dumped(value))};
      words.insert(words.end(), {"--" + name, value.dump()});
    } else {
      return Error{fmt::format("'{}' is not part of a trace, expected case, block, launch, from and steps", name)};
    }
  }
  return words;
}

std::optional<Answer> refuse_more_traces(Service& service, const Request& request) {
  return refuse_above(service.desk->traces, std::to_string(request.who->id), "too-many-requests",
                      fmt::format("{} traces a minute", service.desk->config.limits.runs_per_minute));
}

Answer cancelled() { return failure(409, "cancelled", "this trace was cancelled before it was made; ask for it again if it is wanted"); }

/// What `judge run` says of a file that it does not come to run (no case was judged: compile errors, changed text). `judge trace` says the
/// same as a report for a terminal. Nothing: it does come to run it, or was cancelled.
Result<std::optional<json>> refusal_of(Recordings::Turn& turn, const learner::Workbook& workbook, const task::Task& task,
                                       const std::string& name, const std::string& text, const run::Limits& limits) {
  Result<JudgeChild> judge = judge_child(workbook, "run", task.id, name, text);
  if (!judge) return judge.error();
  const std::string file = (judge->folder.folder() / "result.json").string();
  run::Command& command = judge->command;
  // One case and no record of it.
  command.argv.insert(command.argv.end(), {"--case", task.cases.front().name, "--no-advice", "--quiet", "--json", file});
  command.set_environment["WARPBOOK_WORK"] = judge->folder.folder().string();
  command.limits = limits;
  const Result<std::optional<run::Outcome>> ended = turn.run(command);
  if (!ended) return ended.error();
  if (!*ended) return std::optional<json>();
  const Result<std::string> written = read_file(file, kLargestTrace);
  if (!written) return std::optional<json>();
  json result = json::parse(*written, nullptr, false);
  const bool refused = result.is_object() && result.value("cases", json()).empty() && result.value("findings", json()).is_array();
  return refused ? std::optional<json>(learner_view(std::move(result), false)) : std::nullopt;
}

/// The same as an answer: the sentence, the place of the first finding, and the result, as a run gives it.
Answer as_refusal(const json& result) {
  const bool compiles = result.value("verdict", "") != grade::code_of(grade::Verdict::kCompileError);
  json error = {{"code", compiles ? "not-judged" : "not-compiled"},
                {"message", result.value("message", "the judge does not come to run this file")}};
  const json& findings = result["findings"];
  if (!findings.empty())
    error["where"] = fmt::format("{}:{}:{}", findings[0].value("file", ""), findings[0].value("line", 0), findings[0].value("column", 0));
  return as_json({{"error", std::move(error)}, {"result", result}}, 422);
}

Answer trace(Service& service, const Request& request, const Asked& asked) {
  const Result<std::vector<std::string>> words = trace_words(request.json, asked.task);
  if (!words) return failure(422, "bad-trace", words.error().what, "body");
  const Result<LearnerFile> file = look_at_file(asked.workbook, asked.task);
  if (!file) return failure(500, "broken-task", file.error());
  if (file->trouble) return failure(422, "bad-file", *file->trouble);
  if (service.desk)
    if (auto refusal = refuse_more_traces(service, request)) return std::move(*refusal);
  const int most = service.desk ? kMostOfOneLearner : Recordings::kMostWaiting + 1;
  const std::unique_ptr<Recordings::Turn> turn = service.recordings.join(owner_of(request), asked.task.id, most);
  constexpr int kSeconds = 10;
  if (!turn)
    return try_again(429, "too-many-traces",
                     service.desk ? "a trace of yours is being made, or many of others wait; cancel it, or try again later"
                                  : fmt::format("{} traces wait already; try again later", Recordings::kMostWaiting),
                     kSeconds);
  const std::string name = known_name(asked.workbook, learner::work_file(asked.workbook, asked.task));
  if (!turn->wait()) return cancelled();
  Result<JudgeChild> judge = judge_child(asked.workbook, "trace", asked.task.id, name, file->text);
  if (!judge) return failure(500, "not-written", judge.error());
  const std::string data = (judge->folder.folder() / "trace.json").string();
  run::Command& command = judge->command;
  command.argv.insert(command.argv.end(), {"--data", data});
  command.argv.insert(command.argv.end(), words->begin(), words->end());
  command.limits.wall = service.desk ? kTraceLimitOfClass : kTraceLimit;
  const Result<std::optional<run::Outcome>> ended = turn->run(command);
  if (!ended) return failure(500, "no-trace", ended.error());
  if (!*ended) return cancelled();
  const run::Outcome& outcome = **ended;
  if (outcome.ending == run::Ending::kExited && outcome.code == kNotAccepted && !asked.task.cases.empty()) {
    const auto refusal = refusal_of(*turn, asked.workbook, asked.task, name, file->text, command.limits);
    if (!refusal) return failure(500, "no-trace", refusal.error());
    if (*refusal) return as_refusal(**refusal);
  }
  if (!outcome.ok()) {
    const std::string_view said = trimmed(outcome.err).empty() ? trimmed(outcome.out) : trimmed(outcome.err);
    return failure(422, "no-trace", said.empty() ? "there is nothing to trace" : std::string(said));
  }
  Result<std::string> recording = read_file(data, kLargestTrace);
  if (!recording) return failure(500, "no-trace", recording.error());
  Answer answer;
  answer.body = std::move(*recording);
  return answer;
}

Answer cancel_traces(Service& service, const Request& request, const Asked& asked) {
  return as_json({{"cancelled", service.recordings.cancel(owner_of(request), asked.task.id)}});
}

}  // namespace

void add_trace_routes(Router& router, Service& service) {
  router.add(Access::kLearner, "POST", "/api/tasks/{id}/traces", Body::kJson, with_task(service, trace));
  router.add(Access::kLearner, "DELETE", "/api/tasks/{id}/traces", with_task(service, cancel_traces));
}

}  // namespace warpbook::serve
