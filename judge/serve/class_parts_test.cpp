// The parts of a class that need no database and no socket: its file, limits, the cookie, the address, turns in the queue, patience.
#include <fstream>

#include "judge/serve/class_config.hpp"
#include "judge/serve/file_signals.hpp"
#include "judge/serve/gate.hpp"
#include "judge/serve/limits.hpp"
#include "judge/serve/patient_store.hpp"
#include "judge/serve/run_queue.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/temporary_folder.hpp"

using namespace warpbook;
using namespace warpbook::serve;
using namespace std::chrono_literals;

namespace {

struct ConfigFile {
  TemporaryFolder folder{"class-config"};
  Result<ClassConfig> read(const std::string& text) const {
    std::ofstream(folder / "class.json") << text;
    return read_class_config(folder / "class.json");
  }
  std::string fault(const std::string& text) const {
    const Result<ClassConfig> config = read(text);
    REQUIRE_FALSE(config);
    const Error& error = config.error();
    return std::to_string(error.where.line) + ":" + std::to_string(error.where.column) + ": " + error.what;
  }
};

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A program that takes the place of `judge`: notes whose file it was given, waits a moment, and tells a result.
class PretendedJudge {
 public:
  explicit PretendedJudge(const std::string& more = "sleep 0.1") {
    std::ofstream(folder_ / "judge") << "#!/bin/sh\ncat work/t/exercise.cu >> " << (folder_ / "order").string() << "\n"
                                     << more << "\necho '{\"event\": \"result\", \"data\": {}}' >&3\n";
    std::filesystem::permissions(folder_ / "judge", std::filesystem::perms::all);
  }
  RunOrder order(std::int64_t owner, const std::string& text) const {
    RunOrder order;
    order.task = "t";
    order.text = text + "\n";
    order.file = "work/t/exercise.cu";
    order.owner = owner;
    order.workbook.root = folder_.path();
    order.workbook.program_folder = folder_.path();
    return order;
  }
  std::vector<std::string> ran() const {
    std::ifstream in(folder_ / "order");
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

 private:
  TemporaryFolder folder_{"pretended"};
};

void wait_until_all_ran(const PretendedJudge& judge, std::size_t number) {
  for (int i = 0; i < 200 && judge.ran().size() < number; ++i) std::this_thread::sleep_for(50ms);
  REQUIRE(judge.ran().size() == number);
}

/// A store that fails so many times and then works.
class FailingStore final : public store::Store {
 public:
  explicit FailingStore(int failures) : failures_(failures) {}
  Result<std::int64_t> begin_attempt(const store::NewAttempt&) override { return answer(std::int64_t{7}); }
  Status finish_attempt(std::int64_t, const store::AttemptOutcome& outcome) override {
    const Status done = answer(Done{});
    if (done || got_through) finished = outcome.result_json;
    return done;
  }
  Result<std::vector<store::Attempt>> attempts(const std::string&, int) override { return answer(std::vector<store::Attempt>{}); }
  Result<std::optional<store::Attempt>> attempt(std::int64_t id) override {
    store::Attempt known;
    known.id = id;
    known.outcome.result_json = finished;
    if (!finished.empty()) known.finished_ms = 1;
    return std::optional<store::Attempt>(known);
  }
  Result<std::optional<std::string>> source(const std::string&) override { return std::optional<std::string>(); }
  Result<std::vector<store::RecordedMeasurement>> measurements(const std::string&, int) override {
    return std::vector<store::RecordedMeasurement>{};
  }
  Result<store::Progress> progress(const std::string&) override { return store::Progress{}; }
  Result<std::vector<store::Progress>> all_progress() override { return std::vector<store::Progress>{}; }
  Result<int> hint_level(const std::string&, const std::string&) override { return 0; }
  Status record_hint(const store::ShownHint&) override { return Done{}; }
  Result<std::vector<store::ShownHint>> hints_shown(const std::string&, const std::string&) override {
    return std::vector<store::ShownHint>{};
  }
  Status record_solution_opened(const std::string&) override { return Done{}; }
  Status record_answers(const std::vector<store::AnsweredQuestion>&) override { return Done{}; }
  Result<std::vector<store::AnsweredQuestion>> answers(const std::string&) override { return std::vector<store::AnsweredQuestion>{}; }
  Result<std::uint64_t> learner_seed() override { return std::uint64_t{1}; }

  int calls = 0;
  bool got_through = false;  ///< calls are done, only their answers are lost
  std::string finished;

 private:
  template <class T>
  Result<T> answer(T value) {
    ++calls;
    if (failures_-- > 0) return Error{"away"};
    return value;
  }
  int failures_;
};

}  // namespace

TEST_CASE("the file of a class is read, with what it leaves out") {
  const ConfigFile file;
  const auto least = file.read(R"({"name": "C", "database": "postgresql:///x", "work": "w"})");
  REQUIRE(least);
  CHECK(least->work == file.folder / "w");
  CHECK(least->port == 8787);
  CHECK(least->limits.runs_per_minute == 6);
  CHECK_FALSE(least->secure());
  std::ofstream(file.folder / "seed") << "s";
  std::filesystem::create_directory(file.folder / "cases");
  const auto most = file.read(
      R"({"name": "C", "database": "d", "work": "/w", "address": "0.0.0.0", "port": 1, "origin": "https://c.example:8443",
    "seed_file": "seed", "overlay": "cases/", "jobs": 2, "limits": {"runs_waiting_per_learner": 3, "source_bytes": 2048}})");
  REQUIRE(most);
  CHECK(most->secure());
  CHECK(most->work == "/w");
  CHECK(most->overlay == file.folder / "cases/");
  CHECK(most->limits.runs_waiting_per_learner == 3);
  CHECK(most->limits.source_bytes == 2048);
}

TEST_CASE("what is wrong in the file of a class is told with its place") {
  const ConfigFile file;
  const std::string rest = R"("database": "d", "work": "w")";
  CHECK(file.fault("{\"name\": \"C\",\n  \"datbase\": \"d\", \"work\": \"w\"}") == "0:0: 'database' is missing, expected a text");
  CHECK(holds(file.fault("{\"name\": \"C\",\n  " + rest + ",\n  \"colour\": 1}"), "3:3: 'colour' is not known here, expected one of name"));
  CHECK(holds(file.fault("{\"name\": 3, " + rest + "}"), "1:2: 'name' is 3, expected a text that is not empty"));
  CHECK(holds(file.fault("{\"name\": \"C\", " + rest + ",\n\"limits\": {\"runs_per_minute\": 0}}"),
              "2:12: 'limits/runs_per_minute' is 0, expected a whole number from 1 to"));
  CHECK(holds(file.fault("{\"name\": \"C\", " + rest + ", \"limits\": {\"runs\": 1}}"), "'limits/runs' is not known here"));
  CHECK(holds(file.fault("{\"name\": \"C\", " + rest + ", \"limits\": 3}"), "'limits' is of type number, expected an object"));
  CHECK(holds(file.fault("{\"name\": \"C\", " + rest + ", \"port\": 70000}"), "'port' is 70000"));
  CHECK(holds(file.fault("{\"name\": \"C\", " + rest + ", \"port\": \"8787\"}"), "'port' is \"8787\""));
  for (const std::string origin :
       {"course.example", "https://", "https://course.example/", "ftp://course.example", "https://Course.Example",
        "https://course.example:443", "https://:x", "https://c.example:", "https://a b"})
    CHECK(holds(file.fault("{\"name\": \"C\", " + rest + ", \"origin\": \"" + origin + "\"}"), "as https://course.example"));
  CHECK(holds(file.fault("{\"name\": \"C\", " + rest + ", \"address\": \"course.example\"}"),
              "expected an address of this machine in numbers"));
  CHECK(holds(file.fault("{\"name\": \"C\", " + rest + ", \"address\": \"0.0.0.0\"}"), "so that 'origin' is needed"));
  CHECK(holds(file.fault("{\"name\": \"C\\u0000\", " + rest + "}"), "'name' holds a control character"));
  CHECK(holds(file.fault("{\"name\": \"C\", " + rest + ", \"port\": 1e999}"), "the largest that a double can be"));
  CHECK(holds(file.fault("{\"name\": \"C\", " + rest + ", \"seed_file\": \"none\"}"), "there is no file"));
  CHECK(holds(file.fault("{\"name\": \"C\", " + rest + ", \"overlay\": \"none\"}"), "there is no folder"));
  CHECK(holds(file.fault("{\"name\": \"C\",\n \"database\" \"d\"}"), ": the file of a class is not JSON from here on"));
  CHECK(holds(file.fault("[]"), "expected an object"));
  CHECK_FALSE(read_class_config(file.folder / "nowhere.json"));
}

TEST_CASE("a bucket gives so many at once, then so many a second, and says when the next comes") {
  Buckets::Clock::time_point now{};
  Buckets buckets({3, 0.5}, [&] { return now; });
  for (int i = 0; i < 3; ++i) CHECK(buckets.take("ada") == 0);
  CHECK(buckets.look("ada") == 2);
  CHECK(buckets.take("ada") == 2);
  CHECK(buckets.take("bob") == 0);
  now += 1500ms;
  CHECK(buckets.take("ada") == 1);
  now += 500ms;
  CHECK(buckets.take("ada") == 0);
  CHECK(buckets.take("ada") == 2);
  buckets.give_back("ada");
  CHECK(buckets.take("ada") == 0);
  now += 1h;
  for (int i = 0; i < 3; ++i) CHECK(buckets.take("ada") == 0);
  CHECK(buckets.take("ada") > 0);
  // Names that nobody asks under any more do not stay.
  for (int i = 0; i < 5000; ++i) {
    now += 10s;
    buckets.take(std::to_string(i));
  }
  CHECK(buckets.names() < 1100);
}

TEST_CASE("who waits for a file hears of it, and of nothing else") {
  FileSignals signals;
  const std::uint64_t seen = signals.count("work/1/a");
  CHECK(signals.wait("work/1/a", seen, 10ms) == seen);
  std::thread writer([&] {
    std::this_thread::sleep_for(50ms);
    signals.announce("work/1/a");
  });
  const auto start = std::chrono::steady_clock::now();
  CHECK(signals.wait("work/1/a", seen, 10s) == seen + 1);
  CHECK(std::chrono::steady_clock::now() - start < 5s);
  writer.join();
}

TEST_CASE("the session's cookie is found among others, and what cannot be one is not") {
  Request request;
  const std::string token(43, 'a');
  CHECK(session_token(request).empty());
  request.headers["cookie"] = "theme=dark; warpbook_session=" + token + "; other=1";
  CHECK(session_token(request) == token);
  for (const std::string bad : {"warpbook_session=short", "xwarpbook_session=", "warpbook_session="}) {
    request.headers["cookie"] = bad == "xwarpbook_session=" ? bad + token : bad;
    CHECK(session_token(request).empty());
  }
  request.headers["cookie"] = "warpbook_session=" + std::string(42, 'a') + "'";
  CHECK(session_token(request).empty());
  const std::string cookie = session_cookie(token, true);
  for (const char* part : {"; HttpOnly", "; SameSite=Strict", "; Path=/", "; Secure"}) CHECK(holds(cookie, part));
  CHECK_FALSE(holds(session_cookie(token, false), "Secure"));
  CHECK(holds(session_cookie("", false), "Max-Age=0"));
}

TEST_CASE("a class answers under its own address only") {
  const OwnAddress own{"https://course.example", {"127.0.0.1:8787"}};
  Request request;
  request.method = "POST";
  const auto status = [&] {
    const auto refusal = refuse_stranger(request, &own);
    return refusal ? refusal->status : 200;
  };
  for (const std::string host : {"course.example", "127.0.0.1:8787"}) {
    request.headers["host"] = host;
    CHECK(status() == 200);
  }
  for (const std::string host : {"", "localhost", "course.example:81", "evil.example", "course.example.evil.example"}) {
    request.headers["host"] = host;
    CHECK(status() == 403);
  }
  request.headers["host"] = "course.example";
  request.headers["origin"] = "https://course.example";
  CHECK(status() == 200);
  for (const std::string origin : {"http://course.example", "https://evil.example", "null", "https://course.example:8443"}) {
    request.headers["origin"] = origin;
    CHECK(status() == 403);
  }
}

TEST_CASE("learners take turns: a pile of runs holds up nobody but its owner") {
  const PretendedJudge judge;
  RunQueueOptions options;
  options.most_waiting_each = 3;
  RunQueue queue(options);
  REQUIRE(queue.enter(judge.order(1, "a1")));
  std::this_thread::sleep_for(50ms);  // it runs
  for (const std::string text : {"a2", "a3", "a4"}) REQUIRE(queue.enter(judge.order(1, text)));
  const Result<RunView> too_many = queue.enter(judge.order(1, "a5"));
  REQUIRE_FALSE(too_many);
  CHECK(holds(too_many.error().what, "3 of your runs are waiting already"));
  const Result<RunView> other = queue.enter(judge.order(2, "b1"));
  REQUIRE(other);
  CHECK(other->position == 1);
  REQUIRE(queue.enter(judge.order(2, "b2")));
  REQUIRE(queue.enter(judge.order(3, "c1")));
  wait_until_all_ran(judge, 7);
  CHECK(judge.ran() == std::vector<std::string>{"a1", "b1", "c1", "a2", "b2", "a3", "a4"});
}

TEST_CASE("what the judge says of its own failure is for who runs the server, and a learner is told whom to ask") {
  const PretendedJudge judge("echo 'error: /srv/further/t/cases.xml: secret' >&2; exit 3");
  RunQueue queue({});
  const auto told = [&](std::int64_t owner) {
    const Result<RunView> run = queue.enter(judge.order(owner, "a" + std::to_string(owner)));
    REQUIRE(run);
    std::optional<RunView> now;
    for (int i = 0; i < 100 && !(now && now->over()); ++i) now = queue.wait(run->id, owner, static_cast<std::size_t>(-1), 100ms);
    now = queue.look(run->id, owner);
    REQUIRE(now);
    REQUIRE_FALSE(now->events.empty());
    CHECK(now->events.back()->name == "failed");
    return now->events.back()->data.value("message", "");
  };
  CHECK(told(1) == "the judge could not run this task; your file is as it was. Tell your instructor: the server's log says why");
  // On their own machine (0), and of a rejudge (below 0), it is theirs to know.
  for (const std::int64_t owner : {0, -1}) CHECK(told(owner) == "error: /srv/further/t/cases.xml: secret");
}

TEST_CASE("another's run is as if it were not there, and the same text of another is another run") {
  const PretendedJudge judge("sleep 5");
  RunQueue queue({});
  const Result<RunView> mine = queue.enter(judge.order(1, "same")), theirs = queue.enter(judge.order(2, "same"));
  REQUIRE(mine);
  REQUIRE(theirs);
  CHECK(mine->id != theirs->id);
  CHECK(queue.enter(judge.order(1, "same"))->id == mine->id);
  CHECK(queue.look(mine->id, 1));
  CHECK_FALSE(queue.look(mine->id, 2));
  CHECK_FALSE(queue.wait(mine->id, 2, 0, 0ms));
  CHECK_FALSE(queue.cancel(mine->id, 2));
  CHECK(queue.of_task("t", 2).size() == 1);
  CHECK(queue.of_task("t", 3).empty());
  CHECK(queue.cancel(mine->id, 1));
}

TEST_CASE("a store that comes back is waited for, one that is lost is said to be, and no other error is waited for") {
  int waited = 0;
  std::string lost;
  bool reachable = false;
  PatientStore::Words words{[&] { return reachable; }, [&] { ++waited; }, [&](const Error& error) { lost = error.what; },
                            [](std::chrono::milliseconds) { return false; }};
  const auto back = std::make_shared<FailingStore>(3);
  PatientStore patient(back, {10s, 1ms}, words);
  const Result<std::int64_t> id = patient.begin_attempt({});
  REQUIRE(id);
  CHECK(*id == 7);
  CHECK(waited == 1);
  CHECK(lost.empty());

  const auto gone = std::make_shared<FailingStore>(1000000);
  PatientStore in_vain(gone, {50ms, 1ms}, words);
  CHECK_FALSE(in_vain.finish_attempt(7, {}));
  CHECK(lost == "away");
  CHECK(gone->calls > 3);

  // The database answers, and says no: once more, and then it is so.
  reachable = true;
  lost.clear();
  const auto broken = std::make_shared<FailingStore>(1000000);
  CHECK_FALSE(PatientStore(broken, {10s, 1ms}, words).begin_attempt({}));
  CHECK(broken->calls == 2);
  CHECK(lost == "away");

  // Ended, only nobody heard of it.
  reachable = false;
  const auto unheard = std::make_shared<FailingStore>(1000000);
  unheard->got_through = true;
  store::AttemptOutcome outcome;
  outcome.result_json = "{\"a\": 1}";
  CHECK(PatientStore(unheard, {10s, 1ms}, words).finish_attempt(7, outcome));
  CHECK(unheard->calls == 1);
}
