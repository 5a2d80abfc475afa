// Each line is {"call": NAME, "with": [ARGUMENTS]}, each reply {"value": ...} or {"error": {...}}, in the order of the calls. The names
// are those of Store; kCalls is the one list of them on the server's side.
#include "judge/store/remote_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <mutex>

#include "judge/base/descriptor.hpp"
#include "judge/store/line_socket.hpp"
#include "judge/store/store_json.hpp"

namespace warpbook::store {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestCall = std::size_t{64} << 20;
/// A reply may hold twenty results.
constexpr std::size_t kLongestReply = std::size_t{512} << 20;
constexpr std::chrono::seconds kReplyPatience{60};

/// An Error when a text is not UTF-8: JSON cannot carry it, and to change it would be worse.
Result<std::string> line_of(const json& j) {
  try {
    return j.dump();
  } catch (const json::exception&) {
    return Error{"a text is not UTF-8 and cannot be recorded"};
  }
}

json to_json(const Error& error) {
  return {{"what", error.what},
          {"file", error.where.file},
          {"line", error.where.line},
          {"column", error.where.column},
          {"source_line", error.source_line}};
}

Error error_from(const json& j) { return {j.at("what"), {j.at("file"), j.at("line"), j.at("column")}, j.at("source_line")}; }

template <class T>
json value_json(const T& value) {
  return value;
}
json value_json(const Done&) { return nullptr; }
template <class T>
json value_json(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

template <class T>
struct FromJson {
  static T of(const json& j) { return j.get<T>(); }
};
template <>
struct FromJson<Done> {
  static Done of(const json&) { return {}; }
};
template <class T>
struct FromJson<std::optional<T>> {
  static std::optional<T> of(const json& j) { return j.is_null() ? std::optional<T>() : std::optional<T>(j.get<T>()); }
};

class RemoteStore final : public Store {
 public:
  explicit RemoteStore(int descriptor) : descriptor_(descriptor), socket_(descriptor, kLongestReply, kReplyPatience) {}

  Result<std::int64_t> begin_attempt(const NewAttempt& attempt) override { return call<std::int64_t>("begin_attempt", {attempt}); }
  Status finish_attempt(std::int64_t id, const AttemptOutcome& outcome) override { return call<Done>("finish_attempt", {id, outcome}); }
  Result<std::vector<Attempt>> attempts(const std::string& task, int limit) override {
    return call<std::vector<Attempt>>("attempts", {task, limit});
  }
  Result<std::optional<Attempt>> attempt(std::int64_t id) override { return call<std::optional<Attempt>>("attempt", {id}); }
  Result<std::optional<std::string>> source(const std::string& hash) override { return call<std::optional<std::string>>("source", {hash}); }
  Result<std::vector<RecordedMeasurement>> measurements(const std::string& task, int limit) override {
    return call<std::vector<RecordedMeasurement>>("measurements", {task, limit});
  }
  Result<Progress> progress(const std::string& task) override { return call<Progress>("progress", {task}); }
  Result<std::vector<Progress>> all_progress() override { return call<std::vector<Progress>>("all_progress", {}); }
  Result<int> hint_level(const std::string& task, const std::string& blank) override { return call<int>("hint_level", {task, blank}); }
  Status record_hint(const ShownHint& hint) override { return call<Done>("record_hint", {hint}); }
  Result<std::vector<ShownHint>> hints_shown(const std::string& task, const std::string& blank) override {
    return call<std::vector<ShownHint>>("hints_shown", {task, blank});
  }
  Status record_solution_opened(const std::string& task) override { return call<Done>("record_solution_opened", {task}); }
  Status record_answers(const std::vector<AnsweredQuestion>& answers) override { return call<Done>("record_answers", {json(answers)}); }
  Result<std::vector<AnsweredQuestion>> answers(const std::string& task) override {
    return call<std::vector<AnsweredQuestion>>("answers", {task});
  }
  Result<std::uint64_t> learner_seed() override { return call<std::uint64_t>("learner_seed", {}); }

 private:
  template <class T>
  Result<T> call(const char* name, std::vector<json> arguments) {
    const std::lock_guard lock(mutex_);
    if (!broken_.what.empty()) return broken_;
    const Result<std::string> line = line_of({{"call", name}, {"with", std::move(arguments)}});
    if (!line) return line.error();
    if (line->size() > kLongestCall) return Error{fmt::format("{} bytes are too many to record at once", line->size())};
    if (Status sent = socket_.write(*line); !sent) return broken(sent.error());
    const Result<std::optional<std::string>> read = socket_.read();
    if (!read) return broken(read.error());
    if (!*read) return broken({"the other side is gone"});
    const json reply = json::parse(**read, nullptr, false);
    try {
      if (reply.contains("error")) return error_from(reply.at("error"));
      return FromJson<T>::of(reply.at("value"));
    } catch (const json::exception&) {
      return broken({"the other side answered what is no reply"});
    }
  }

  /// From here on replies would be taken for those of other calls.
  Error broken(const Error& why) {
    broken_ = Error{fmt::format("the server that records cannot be asked: {}", why.what)};
    return broken_;
  }

  std::mutex mutex_;
  Descriptor descriptor_;
  LineSocket socket_;
  Error broken_;
};

template <class T>
Result<json> reply_value(const Result<T>& result) {
  if (!result) return result.error();
  return value_json(*result);
}

struct Call {
  std::string_view name;
  std::size_t arguments;
  Result<json> (*answer)(Store&, const json&);
};

constexpr std::array kCalls{
    Call{"begin_attempt", 1, [](Store& s, const json& with) { return reply_value(s.begin_attempt(with[0].get<NewAttempt>())); }},
    Call{"finish_attempt", 2,
         [](Store& s, const json& with) {
           return reply_value(s.finish_attempt(with[0].get<std::int64_t>(), with[1].get<AttemptOutcome>()));
         }},
    Call{"attempts", 2, [](Store& s, const json& with) { return reply_value(s.attempts(with[0].get<std::string>(), with[1].get<int>())); }},
    Call{"attempt", 1, [](Store& s, const json& with) { return reply_value(s.attempt(with[0].get<std::int64_t>())); }},
    Call{"source", 1, [](Store& s, const json& with) { return reply_value(s.source(with[0].get<std::string>())); }},
    Call{"measurements", 2,
         [](Store& s, const json& with) { return reply_value(s.measurements(with[0].get<std::string>(), with[1].get<int>())); }},
    Call{"progress", 1, [](Store& s, const json& with) { return reply_value(s.progress(with[0].get<std::string>())); }},
    Call{"all_progress", 0, [](Store& s, const json&) { return reply_value(s.all_progress()); }},
    Call{"hint_level", 2,
         [](Store& s, const json& with) { return reply_value(s.hint_level(with[0].get<std::string>(), with[1].get<std::string>())); }},
    Call{"record_hint", 1, [](Store& s, const json& with) { return reply_value(s.record_hint(with[0].get<ShownHint>())); }},
    Call{"hints_shown", 2,
         [](Store& s, const json& with) { return reply_value(s.hints_shown(with[0].get<std::string>(), with[1].get<std::string>())); }},
    Call{"record_solution_opened", 1,
         [](Store& s, const json& with) { return reply_value(s.record_solution_opened(with[0].get<std::string>())); }},
    Call{"record_answers", 1,
         [](Store& s, const json& with) { return reply_value(s.record_answers(with[0].get<std::vector<AnsweredQuestion>>())); }},
    Call{"answers", 1, [](Store& s, const json& with) { return reply_value(s.answers(with[0].get<std::string>())); }},
    Call{"learner_seed", 0, [](Store& s, const json&) { return reply_value(s.learner_seed()); }},
};

/// The reply to a call; the outer Error when the line is none.
Result<Result<json>> answered(const std::string& line, Store& store) {
  const json said = json::parse(line, nullptr, false);
  try {
    const auto name = said.at("call").get<std::string>();
    const json& with = said.at("with");
    for (const Call& call : kCalls)
      if (call.name == name && with.is_array() && with.size() == call.arguments) return call.answer(store, with);
    return Error{fmt::format("there is no call '{}' with {} arguments", name, with.size())};
  } catch (const json::exception&) {
    return Error{"a line is no call"};
  }
}

}  // namespace

Result<std::unique_ptr<Store>> open_remote_store(int descriptor) {
  int type = 0;
  socklen_t size = sizeof type;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM)
    return Error{fmt::format("{} is no descriptor of a connected socket", descriptor)};
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return std::unique_ptr<Store>(std::make_unique<RemoteStore>(descriptor));
}

Status answer_store(int descriptor, Store& store) {
  LineSocket socket(descriptor, kLongestCall, std::nullopt);
  for (;;) {
    const Result<std::optional<std::string>> line = socket.read();
    if (!line) return line.error();
    if (!*line) return Done{};
    const Result<Result<json>> reply = answered(**line, store);
    const Error* error = !reply ? &reply.error() : !*reply ? &reply->error() : nullptr;
    Result<std::string> text = line_of(error != nullptr ? json{{"error", to_json(*error)}} : json{{"value", **reply}});
    if (!text) text = line_of({{"error", to_json(text.error())}});
    if (Status sent = socket.write(*text); !sent) return sent;
    if (!reply) return reply.error();
  }
}

}  // namespace warpbook::store
