// Learners at work in a class: each on their own, whatever they ask for, also while the database is away.
#include <algorithm>
#include <thread>

#include "judge/serve/class_served.hpp"
#include "judge/tests/cli/leftovers.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::serve;
using namespace std::chrono_literals;

namespace {

const std::string kWorkTask = "/api/tasks/05-layernorm";
const std::string kTakesLong =
    "  float variance = mean_square;\n  for (int i = 0; i < 20000000; ++i) variance = variance * 0.5f + eps;\n  const float scale = "
    "rsqrtf(variance + eps);\n";

Reply fill(const ClassServed& served, const SignedIn& who, const std::string& lines) {
  const nlohmann::json file = served.get(who, kWorkTask + "/file").json();
  return served.send(who, "PUT", kWorkTask + "/file", {{"base_version", file["version"]}, {"blanks", {{"variance", lines}}}});
}

std::string begin_run(const ClassServed& served, const SignedIn& who, const nlohmann::json& body = nlohmann::json::object()) {
  const Reply reply = served.send(who, "POST", kWorkTask + "/runs", body);
  INFO(reply.body);
  REQUIRE(reply.status == 202);
  return reply.json()["run"];
}

std::string whole_stream(const ClassServed& served, const SignedIn& who, const std::string& run) {
  const auto stream = served.follow(who, "/api/runs/" + run + "/events");
  stream->until("0\r\n\r\n", 240s);
  return stream->read;
}

nlohmann::json attempts_of(const ClassServed& served, const SignedIn& who) {
  return served.get(who, kWorkTask + "/attempts").json()["attempts"];
}

}  // namespace

TEST_CASE("two people at the same task at once have their own files, runs and attempts, and not each other's") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassWishes wishes;
  wishes.jobs = 2;
  const ClassServed served(wishes);
  const SignedIn ada = served.join("ada", "Ada"), bob = served.join("bob", "Bob");
  const auto events = served.follow(ada, kWorkTask + "/file/events");
  REQUIRE(events->until(": open", 10s));
  REQUIRE(fill(served, ada, cli::kRightVariance).status == 200);
  CHECK(events->until("event: changed", 5s));
  REQUIRE(
      fill(served, bob, "  const float variance = mean_square - mean * mean;\n  const float scale = rsqrtf(variance + eps);\n").status ==
      200);
  CHECK(served.home.read("class-work/" + std::to_string(ada.id) + "/05-layernorm/exercise.cu") == cli::layernorm_with(cli::kRightVariance));
  std::string text_of_ada, text_of_bob;
  const std::string run_of_ada = begin_run(served, ada), run_of_bob = begin_run(served, bob);
  CHECK(run_of_ada != run_of_bob);
  std::thread other([&] { text_of_bob = whole_stream(served, bob, run_of_bob); });
  text_of_ada = whole_stream(served, ada, run_of_ada);
  other.join();
  const nlohmann::json first = served.get(ada, "/api/runs/" + run_of_ada).json(),
                       second = served.get(bob, "/api/runs/" + run_of_bob).json();
  CHECK(first["result"]["accepted"] == true);
  CHECK(second["result"]["accepted"] == false);
  CHECK(first["result"]["file"] == "work/05-layernorm/exercise.cu");
  CHECK(first.dump().find(served.home.folder().string()) == std::string::npos);

  const nlohmann::json of_ada = attempts_of(served, ada), of_bob = attempts_of(served, bob);
  REQUIRE(of_ada.size() == 1);
  REQUIRE(of_bob.size() == 1);
  CHECK(of_ada[0]["verdict"] == "AC");
  CHECK(of_bob[0]["verdict"] == "WA");
  CHECK(of_ada[0]["passes"][0]["read"] == 2.0);
  const std::string attempt_of_ada = "/api/attempts/" + of_ada[0]["id"].dump();
  CHECK(served.get(ada, attempt_of_ada).status == 200);

  // What belongs to another is as if it were not there.
  const auto same_as_missing = [&](const Reply& theirs, const Reply& missing, const std::string& id, const std::string& none) {
    std::string expected = missing.body;
    for (std::size_t at = 0; (at = expected.find(none, at)) != std::string::npos; at += id.size()) expected.replace(at, none.size(), id);
    CHECK(theirs.status == 404);
    CHECK(theirs.body == expected);
  };
  const std::string id = of_ada[0]["id"].dump();
  same_as_missing(served.get(bob, attempt_of_ada), served.get(bob, "/api/attempts/987654"), id, "987654");
  same_as_missing(served.get(bob, "/api/runs/" + run_of_ada), served.get(bob, "/api/runs/none"), run_of_ada, "none");
  same_as_missing(served.get(bob, "/api/runs/" + run_of_ada + "/events"), served.get(bob, "/api/runs/none/events"), run_of_ada, "none");
  same_as_missing(served.remove(bob, "/api/runs/" + run_of_ada), served.remove(bob, "/api/runs/none"), run_of_ada, "none");
  const nlohmann::json runs_of_bob = served.get(bob, kWorkTask + "/runs").json();
  for (const nlohmann::json& run : runs_of_bob["runs"]) CHECK(run["run"] == run_of_bob);
  CHECK(served.get(ada, "/api/runs/" + run_of_ada).json()["state"] == "ended");

  // The map, the hints, the answers: each their own.
  CHECK(served.send(bob, "POST", kWorkTask + "/hints", {{"blank", "variance"}}).json()["level"] == 1);
  CHECK(served.get(ada, kWorkTask + "/hints").json()["hints"].empty());
  CHECK(served.get(ada, kWorkTask).json()["attempts"] == 1);
  CHECK(served.send(ada, "PUT", kWorkTask + "/answers", {{"answers", {{"explanation", "mine"}}}}).status == 200);
  CHECK(served.get(bob, kWorkTask).json()["explanation"]["answer"].is_null());
  // A trace is one's own file's.
  const Reply trace = served.send(ada, "POST", kWorkTask + "/traces", {{"case", "plain"}});
  CHECK(trace.status == 200);
  CHECK(cli::leftover_files(served.home) == std::vector<std::string>{});
  CHECK_FALSE(served.home.exists("work/05-layernorm"));
  CHECK_FALSE(served.home.exists("work/progress.sqlite"));
}

TEST_CASE("a learner's runs have limits, with words and a time; a source has a size") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassWishes wishes;
  wishes.limits.runs_waiting_per_learner = 1;
  wishes.limits.source_bytes = 8192;
  const ClassServed served(wishes);
  const SignedIn ada = served.join("ada", "Ada"), bob = served.join("bob", "Bob");
  const Reply large = fill(served, ada, "// " + std::string(8192, 'x') + "\n");
  CHECK(large.status == 413);
  CHECK(large.json()["error"]["message"].get<std::string>().find("expected at most 8192") != std::string::npos);
  CHECK(served.get(ada, "/api/session").json()["limits"]["source_bytes"] == 8192);

  REQUIRE(fill(served, ada, kTakesLong).status == 200);
  const std::string first = begin_run(served, ada, {{"cases", {"plain"}}});
  REQUIRE(served.follow(ada, "/api/runs/" + first + "/events")->until("event: started", 60s));
  const std::string second = begin_run(served, ada, {{"cases", {"plain"}}, {"meters", true}});
  CHECK(begin_run(served, ada, {{"cases", {"plain"}}}) == first);  // joining is no new run
  const Reply third = served.send(ada, "POST", kWorkTask + "/runs", nlohmann::json::object());
  INFO(third.body << served.get(ada, "/api/runs/" + first).body << served.get(ada, "/api/runs/" + second).body);
  CHECK(third.status == 429);
  CHECK(error_code(third) == "too-many-runs");
  CHECK(third.json()["error"]["message"].get<std::string>().find("1 of your runs is waiting") != std::string::npos);
  CHECK(third.header("retry-after") == "5");
  const Reply other = served.send(bob, "POST", kWorkTask + "/runs", {{"cases", {"plain"}}});
  CHECK(other.status == 202);
  CHECK(other.json()["position"] == 1);  // before ada's second
  CHECK(served.get(ada, "/api/runs/" + second).json()["position"] == 2);
  for (const std::string& run : {first, second}) CHECK(served.remove(ada, "/api/runs/" + run).status == 200);
}

TEST_CASE("so many runs a minute, and a word about it") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassWishes wishes;
  wishes.limits.runs_per_minute = 2;
  const ClassServed served(wishes);
  const SignedIn ada = served.join("ada", "Ada");
  std::vector<std::string> runs;
  for (int i = 0; i < 2; ++i) {
    REQUIRE(fill(served, ada, "  // " + std::to_string(i) + "\n" + kTakesLong).status == 200);
    runs.push_back(begin_run(served, ada, {{"cases", {"plain"}}}));
  }
  REQUIRE(fill(served, ada, "  // another\n" + kTakesLong).status == 200);
  const Reply refused = served.send(ada, "POST", kWorkTask + "/runs", nlohmann::json::object());
  CHECK(refused.status == 429);
  CHECK(refused.json()["error"]["message"].get<std::string>().find("at most 2 runs a minute are allowed") != std::string::npos);
  CHECK(std::stoi(refused.header("retry-after")) <= 30);
  for (const std::string& run : runs) CHECK(served.remove(ada, "/api/runs/" + run).status == 200);
}

TEST_CASE("a run that was refused because others wait does not count as one of the minute's") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassWishes wishes;
  wishes.limits.runs_per_minute = 3;
  wishes.limits.runs_waiting_per_learner = 1;
  const ClassServed served(wishes);
  const SignedIn ada = served.join("ada", "Ada");
  const auto ask = [&](int number) {
    REQUIRE(fill(served, ada, "  // " + std::to_string(number) + "\n" + kTakesLong).status == 200);
    return served.send(ada, "POST", kWorkTask + "/runs", {{"cases", {"plain"}}});
  };
  std::vector<std::string> runs;
  runs.push_back(ask(0).json()["run"]);
  REQUIRE(served.follow(ada, "/api/runs/" + runs[0] + "/events")->until("event: started", 60s));
  runs.push_back(ask(1).json()["run"]);
  for (int i = 2; i < 6; ++i) {
    const Reply refused = ask(i);
    CHECK(refused.status == 429);
    CHECK(refused.json()["error"]["message"].get<std::string>().find("is waiting") != std::string::npos);
  }
  for (const std::string& run : runs) CHECK(served.remove(ada, "/api/runs/" + run).status == 200);
  const Reply third = ask(6);  // the third of three
  INFO(third.body);
  REQUIRE(third.status == 202);
  CHECK(served.remove(ada, "/api/runs/" + third.json()["run"].get<std::string>()).status == 200);
  CHECK(ask(7).json()["error"]["message"].get<std::string>().find("at most 3 runs a minute are allowed") == 0);
}

TEST_CASE("a database that goes away and returns: 503 with a word, a verdict that waits for it, and nothing lost") {
  WARPBOOK_NEEDS_POSTGRES();
  const ClassServed served;
  const SignedIn ada = served.join("ada", "Ada");
  REQUIRE(fill(served, ada, cli::kRightVariance).status == 200);
  CHECK(served.send(ada, "POST", kWorkTask + "/hints", {{"blank", "variance"}}).json()["level"] == 1);
  // The run begins, and its database goes away while it is judged.
  const std::string run = begin_run(served, ada);
  const auto stream = served.follow(ada, "/api/runs/" + run + "/events");
  REQUIRE(stream->until("event: started", 120s));
  PostgresServer::shared().stop();
  std::this_thread::sleep_for(KnownSessions::kKept + 500ms);
  const Reply away = served.get(ada, "/api/workbook");
  CHECK(away.status == 503);
  CHECK(error_code(away) == "no-database");
  CHECK(std::stoi(away.header("retry-after")) > 0);
  CHECK(away.body.find("postgres") == std::string::npos);  // nothing about where it is
  CHECK(served.ask("POST", "/api/session", nlohmann::json({{"login", "ada"}, {"password", kPassword}}).dump()).status == 503);
  CHECK(served.send(ada, "POST", kWorkTask + "/hints", {{"blank", "variance"}}).status == 503);
  CHECK(served.ask("GET", "/sign-in").status == 200);  // pages need none
  stream->until("waiting for the database", 120s);
  INFO(stream->read);
  REQUIRE(stream->read.find("waiting for the database") != std::string::npos);
  CHECK(stream->read.find("event: result") == std::string::npos);
  PostgresServer::shared().start();
  REQUIRE(stream->until("event: result", 60s));
  CHECK(stream->read.find("event: unrecorded") == std::string::npos);
  const nlohmann::json attempts = attempts_of(served, ada);
  REQUIRE(attempts.size() == 1);
  CHECK(attempts[0]["verdict"] == "AC");
  CHECK(served.send(ada, "POST", kWorkTask + "/hints", {{"blank", "variance"}}).json()["level"] == 2);
}

TEST_CASE("a database that does not return: the run says that it is not on record") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassWishes wishes;
  wishes.patience = {1500ms, 100ms};
  const ClassServed served(wishes);
  const SignedIn ada = served.join("ada", "Ada");
  REQUIRE(fill(served, ada, cli::kRightVariance).status == 200);
  const std::string run = begin_run(served, ada);
  const auto stream = served.follow(ada, "/api/runs/" + run + "/events");
  REQUIRE(stream->until("event: started", 120s));
  REQUIRE(stream->until("event: case", 120s));
  PostgresServer::shared().stop();
  REQUIRE(stream->until("event: result", 120s));
  CHECK(stream->read.find("event: unrecorded") != std::string::npos);
  PostgresServer::shared().start();
  const nlohmann::json attempts = attempts_of(served, ada);
  REQUIRE(attempts.size() == 1);
  CHECK(attempts[0]["verdict"].is_null());
}

TEST_CASE("a run that a restart cut short is told, and can be run again") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassServed served;
  const SignedIn ada = served.join("ada", "Ada");
  REQUIRE(fill(served, ada, kTakesLong).status == 200);
  const std::string run = begin_run(served, ada);
  REQUIRE(served.follow(ada, "/api/runs/" + run + "/events")->until("event: started", 120s));
  REQUIRE(cli::wait_for([&] { return attempts_of(served, ada).size() == 1; }, 20s));
  CHECK(attempts_of(served, ada)[0]["interrupted"] == false);
  served.stop();
  CHECK(cli::leftover_processes(served.home) == std::vector<std::string>{});
  served.start();
  CHECK(served.get(ada, "/api/runs/" + run).status == 404);  // ada is still signed in
  const nlohmann::json runs = served.get(ada, kWorkTask + "/runs").json();
  CHECK(runs["runs"].empty());
  const nlohmann::json attempts = attempts_of(served, ada);
  CHECK(attempts[0]["interrupted"] == true);
  CHECK(runs["interrupted"]["attempt"] == attempts[0]["id"]);
  REQUIRE(fill(served, ada, cli::kRightVariance).status == 200);
  CHECK(whole_stream(served, ada, begin_run(served, ada)).find("event: result") != std::string::npos);
  CHECK(served.get(ada, kWorkTask + "/runs").json()["interrupted"].is_null());
}

TEST_CASE("hundreds of streams of files are open at once, and a change reaches its own") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassWishes wishes;
  wishes.threads = kThreadsOfClass;
  const ClassServed served(wishes);
  // A test program has 1024 descriptors, and each stream takes two.
  constexpr int kPeople = 25;
  std::vector<SignedIn> people;
  std::vector<std::unique_ptr<Wire>> streams;
  for (int i = 0; i < kPeople; ++i) {
    people.push_back(served.join("p" + std::to_string(i), "P"));
    for (int n = 0; n < kStreamsEach; ++n) streams.push_back(served.follow(people.back(), kWorkTask + "/file/events"));
  }
  for (const auto& stream : streams) REQUIRE(stream->until(": open", 20s));
  const auto start = std::chrono::steady_clock::now();
  CHECK(served.get(people.front(), "/api/workbook").status == 200);
  CHECK(std::chrono::steady_clock::now() - start < 2s);
  for (const SignedIn& one : people) REQUIRE(fill(served, one, "  // told to all\n").status == 200);
  for (const auto& stream : streams) CHECK(stream->until("event: changed", 10s));
}

TEST_CASE("one person has so many streams open and not one more, until one is closed; others have their own") {
  WARPBOOK_NEEDS_POSTGRES();
  const ClassServed served;
  const SignedIn ada = served.join("ada", "Ada"), bob = served.join("bob", "Bob");
  const std::string path = kWorkTask + "/file/events";
  std::vector<std::unique_ptr<Wire>> streams;
  for (int i = 0; i < kStreamsEach; ++i) {
    // Of whichever session.
    streams.push_back(served.follow(i % 2 == 0 ? ada : served.sign_in("ada"), path));
    REQUIRE(streams.back()->until(": open", 10s));
  }
  const Reply refused = served.get(ada, path);
  CHECK(refused.status == 429);
  CHECK(error_code(refused) == "too-many-streams");
  CHECK(refused.json()["error"]["message"].get<std::string>().find("at most 16 streams of events may be open at once") == 0);
  CHECK(refused.json()["error"]["retry_after"] == std::stoi(refused.header("retry-after")));
  CHECK(served.get(ada, "/api/workbook").status == 200);
  CHECK(served.follow(bob, path)->until(": open", 10s));
  streams.pop_back();
  CHECK(cli::wait_for([&] { return served.follow(ada, path)->until(": open", 2s); }, 10s));
}
