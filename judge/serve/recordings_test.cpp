#include "judge/serve/recordings.hpp"

#include <chrono>
#include <future>

#include "judge/serve/served.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/leftovers.hpp"
#include "judge/tests/cli/submissions.hpp"

namespace warpbook::serve {
namespace {

using namespace std::chrono_literals;

run::Command sleeping() {
  run::Command command;
  command.argv = {"sleep", "60"};
  return command;
}

}  // namespace

TEST_CASE("recordings are made one at a time, in the order in which they were asked for") {
  Recordings recordings;
  auto first = recordings.join(1, "05");
  auto second = recordings.join(2, "05");
  REQUIRE(first->wait());
  auto later = std::async(std::launch::async, [&] { return second->wait(); });
  CHECK(later.wait_for(100ms) == std::future_status::timeout);
  first.reset();
  CHECK(later.get());
}

TEST_CASE("a recording is taken back by whoever asked for it, waiting or at work, and nobody else's is") {
  Recordings recordings;
  const auto began = std::chrono::steady_clock::now();
  const auto at_work = recordings.join(1, "05");
  const auto waiting = recordings.join(1, "05");
  const auto of_another = recordings.join(2, "05");
  auto running = std::async(std::launch::async, [&] { return at_work->wait() ? at_work->run(sleeping()) : Error{"not begun"}; });
  auto waited = std::async(std::launch::async, [&] { return waiting->wait(); });
  std::this_thread::sleep_for(200ms);
  CHECK(recordings.cancel(1, "06") == 0);
  CHECK(recordings.cancel(3, "05") == 0);
  CHECK(recordings.cancel(1, "05") == 2);
  CHECK(recordings.cancel(1, "05") == 0);
  CHECK_FALSE(waited.get());
  const auto ended = running.get();
  REQUIRE(ended);
  CHECK_FALSE(ended->has_value());
  CHECK(std::chrono::steady_clock::now() - began < 30s);
}

TEST_CASE("so many recordings wait, and no more") {
  Recordings recordings;
  std::vector<std::unique_ptr<Recordings::Turn>> turns;
  for (int i = 0; i <= Recordings::kMostWaiting; ++i) turns.push_back(recordings.join(i, "05"));
  for (const auto& turn : turns) CHECK(turn);
  CHECK_FALSE(recordings.join(100, "05"));
  turns.pop_back();
  CHECK_FALSE(recordings.join(1, "06", 1));
  CHECK(recordings.join(100, "05"));
}

TEST_CASE("a trace that is taken back answers 409 and leaves nothing behind") {
  const Served served;
  served.home.write("work/05-layernorm/exercise.cu", cli::layernorm_with(cli::kRightVariance));
  auto trace = std::async(std::launch::async, [&] { return served.send("POST", "/api/tasks/05-layernorm/traces", {{"case", "plain"}}); });
  int cancelled = 0;
  for (int i = 0; i < 200 && cancelled == 0; ++i) {
    std::this_thread::sleep_for(20ms);
    cancelled = served.send("DELETE", "/api/tasks/05-layernorm/traces", nlohmann::json::object()).json()["cancelled"].get<int>();
  }
  CHECK(cancelled == 1);
  const Reply reply = trace.get();
  CHECK(reply.status == 409);
  CHECK(reply.json()["error"]["code"] == "cancelled");
  CHECK(cli::leftover_files(served.home) == std::vector<std::string>{});
}

TEST_CASE("a file that does not compile is refused as a run refuses it: what, in which line, and no report for a terminal") {
  const Served served;
  served.home.write("work/05-layernorm/exercise.cu", cli::layernorm_with("  float scale = rsqrtf(varianc + eps)\n"));
  const auto asked = [&](const std::string& language) {
    return served.send("POST", "/api/tasks/05-layernorm/traces?lang=" + language, {{"case", "plain"}});
  };
  const Reply reply = asked("en");
  CHECK(reply.status == 422);
  const nlohmann::json error = reply.json()["error"], result = reply.json()["result"];
  INFO(error.dump(1) << result.dump(1));
  CHECK(error["code"] == "not-compiled");
  CHECK(error["message"] == "2 compile errors");
  REQUIRE(result["findings"].size() == 2);
  const int line = result["findings"][0]["line"];
  CHECK(error["where"].get<std::string>().find("work/05-layernorm/exercise.cu:" + std::to_string(line) + ":") == 0);
  CHECK(result["findings"][0]["message"].get<std::string>().find("\"varianc\" is undefined") != std::string::npos);
  CHECK(result["verdict"] == "CE");
  CHECK_FALSE(result["provenance"].contains("seed"));
  CHECK(reply.body.find("points 0 of") == std::string::npos);
  CHECK(asked("zh").json()["result"]["findings"] == result["findings"]);
  // The same findings as a run's, and nothing on record.
  CHECK(served.get("/api/tasks/05-layernorm/attempts").json()["attempts"].empty());
  const std::string run = served.send("POST", "/api/tasks/05-layernorm/runs", nlohmann::json::object()).json()["run"];
  REQUIRE(served.follow("/api/runs/" + run + "/events")->until("event: result", 240s));
  CHECK(served.get("/api/runs/" + run).json()["result"]["findings"] == result["findings"]);

  served.home.write("work/05-layernorm/exercise.cu", "int changed;\n" + cli::layernorm_with(cli::kRightVariance));
  const Reply vetoed = asked("en");
  CHECK(vetoed.status == 422);
  CHECK(vetoed.json()["error"]["code"] == "not-judged");
  CHECK(vetoed.json()["result"]["verdict"] == "VETO");
  CHECK(vetoed.json()["result"]["findings"][0]["line"] == 1);
  CHECK(cli::leftover_files(served.home) == std::vector<std::string>{});
}

}  // namespace warpbook::serve
