// A run from the request to its end, followed, joined, cancelled, and found again.
#include <algorithm>

#include "judge/serve/served.hpp"
#include "judge/store/sqlite_store.hpp"
#include "judge/tests/cli/leftovers.hpp"
#include "judge/tests/cli/submissions.hpp"
#include "judge/toolchain/compile.hpp"

using namespace warpbook;
using namespace warpbook::serve;
using namespace std::chrono_literals;

namespace {

const std::string kRuns = "/api/tasks/05-layernorm/runs";

/// Names of the events of a run, in order.
std::vector<std::string> names_in(const nlohmann::json& run) {
  std::vector<std::string> names;
  for (const nlohmann::json& event : run.at("events")) names.push_back(event.at("event"));
  return names;
}

std::string begin_run(const Served& served, const nlohmann::json& body = nlohmann::json::object()) {
  const Reply reply = served.send("POST", kRuns, body);
  INFO(reply.body);
  REQUIRE(reply.status == 202);
  return reply.json()["run"];
}

nlohmann::json look(const Served& served, const std::string& run) { return served.get("/api/runs/" + run).json(); }

std::string fill_variance(const Served& served, const std::string& lines) {
  const nlohmann::json file = served.get("/api/tasks/05-layernorm/file").json();
  const Reply reply =
      served.send("PUT", "/api/tasks/05-layernorm/file", {{"base_version", file["version"]}, {"blanks", {{"variance", lines}}}});
  REQUIRE(reply.status == 200);
  return reply.json()["version"];
}

/// The text of a whole stream.
std::string whole_stream(const Served& served, const std::string& run, const std::string& headers = {}) {
  const auto stream = served.follow("/api/runs/" + run + "/events", headers);
  stream->until("0\r\n\r\n", 240s);
  return stream->read;
}

/// A kernel that takes the virtual GPU long: there is time to look at it, and to cancel it.
const std::string kEndless =
    "  float variance = mean_square;\n  for (int i = 0; i < 20000000; ++i) variance = variance * 0.5f + eps;\n  const float scale = "
    "rsqrtf(variance + eps);\n";

}  // namespace

TEST_CASE("a run tells its place, its compilation, each case, and its result, which is on record") {
  const Served served;
  fill_variance(served, cli::kRightVariance);
  const std::string id = begin_run(served);
  const std::string text = whole_stream(served, id);
  INFO(text.substr(0, 3000));
  std::size_t at = 0;
  for (const std::string event :
       {"event: queued\ndata: {\"position\":0}", "event: started", "event: compiled", "event: case", "event: result"}) {
    INFO(event);
    REQUIRE(text.find(event, at) != std::string::npos);
    at = text.find(event, at);
  }
  CHECK(text.find("event: advice") == std::string::npos);
  const nlohmann::json run = look(served, id);
  CHECK(run["state"] == "ended");
  CHECK(run["result"]["accepted"] == true);
  const auto cases =
      std::count_if(run["events"].begin(), run["events"].end(), [](const nlohmann::json& e) { return e["event"] == "case"; });
  CHECK(cases == static_cast<std::ptrdiff_t>(run["result"]["cases"].size()));
  for (const nlohmann::json& event : run["events"]) {
    if (event["event"] != "case") continue;
    const auto same = std::find_if(run["result"]["cases"].begin(), run["result"]["cases"].end(),
                                   [&](const nlohmann::json& c) { return c["name"] == event["data"]["name"]; });
    REQUIRE(same != run["result"]["cases"].end());
    CHECK((*same)["verdict"] == event["data"]["verdict"]);
  }
  const nlohmann::json attempts = served.get("/api/tasks/05-layernorm/attempts").json()["attempts"];
  REQUIRE(attempts.size() == 1);
  CHECK(attempts[0]["verdict"] == "AC");
  CHECK(attempts[0]["passes"][0]["read"] == 2.0);
  const nlohmann::json kept = served.get("/api/attempts/" + attempts[0]["id"].dump()).json();
  CHECK(kept["cases"].size() == run["result"]["cases"].size());
  CHECK(kept["provenance"].contains("seed") == false);
  // The file is called as the learner knows it, not as the copy that was graded.
  CHECK(run["result"]["file"] == "work/05-layernorm/exercise.cu");

  // Read again from the start, from the middle, and behind the end.
  CHECK(whole_stream(served, id).find("event: queued") != std::string::npos);
  const std::string rest = whole_stream(served, id, "Last-Event-ID: 3\r\n");
  CHECK(rest.find("id: 4\n") != std::string::npos);
  CHECK(rest.find("id: 3\n") == std::string::npos);
  CHECK(served.ask("GET", "/api/runs/" + id + "/events", {}, "Last-Event-ID: " + std::to_string(run["events"].size()) + "\r\n").status ==
        204);
  // The map knows it.
  const nlohmann::json task = served.get("/api/tasks/05-layernorm").json();
  CHECK(task["attempts"] == 1);
}

TEST_CASE("a failing run advises, and names the mistake only after the second hint") {
  const Served served;
  fill_variance(served, "  const float variance = mean_square - mean * mean;\n  const float scale = rsqrtf(variance + eps);\n");
  const std::string id = begin_run(served, {{"cases", {"negative-variance", "negative-variance"}}});
  const std::string text = whole_stream(served, id);
  CHECK(text.find("event: advice") != std::string::npos);
  const nlohmann::json before = look(served, id)["result"];
  CHECK(before["verdict"] == "WA");
  CHECK(before["cases"].size() == 1);
  REQUIRE(before.contains("diagnosis"));
  CHECK(before["diagnosis"].contains("question"));
  CHECK_FALSE(before["diagnosis"].contains("name"));
  for (int level = 1; level <= 2; ++level)
    CHECK(served.send("POST", "/api/tasks/05-layernorm/hints", {{"blank", "variance"}}).status == 200);
  CHECK(look(served, id)["result"]["diagnosis"].contains("name"));
  CHECK(served.get("/api/tasks/05-layernorm/hints").json()["hints"].size() == 2);
  // A run of some cases is no attempt.
  CHECK(served.get("/api/tasks/05-layernorm/attempts").json()["attempts"].empty());
}

TEST_CASE("a second tab joins the run, another text waits its turn, and both can be cancelled") {
  const Served served;
  fill_variance(served, kEndless);
  const std::string first = begin_run(served, {{"cases", {"plain"}}});
  CHECK(begin_run(served, {{"cases", {"plain"}}}) == first);
  fill_variance(served, "  // another text\n" + kEndless);
  const Reply second = served.send("POST", kRuns, {{"cases", {"plain"}}});
  const std::string id = second.json()["run"];
  CHECK(id != first);
  CHECK(second.json()["position"] == 1);
  const nlohmann::json runs = served.get(kRuns).json()["runs"];
  REQUIRE(runs.size() == 2);
  CHECK(runs[0]["run"] == id);
  CHECK(runs[1]["run"] == first);

  // Closing a stream ends nothing.
  served.follow("/api/runs/" + first + "/events")->until("event: started", 60s);
  REQUIRE(cli::wait_for([&] { return !cli::processes_of(served.home).empty(); }, 60s));
  CHECK(look(served, first)["state"] == "running");

  CHECK(served.ask("DELETE", "/api/runs/" + id).json()["state"] == "cancelled");
  CHECK(names_in(look(served, id)) == std::vector<std::string>{"queued", "cancelled"});
  const auto asked = std::chrono::steady_clock::now();
  CHECK(served.ask("DELETE", "/api/runs/" + first).status == 200);
  CHECK(whole_stream(served, first).find("event: cancelled") != std::string::npos);
  CHECK(std::chrono::steady_clock::now() - asked < 5s);
  CHECK(look(served, first)["state"] == "cancelled");
  CHECK(cli::leftover_processes(served.home) == std::vector<std::string>{});
  CHECK(cli::leftover_files(served.home) == std::vector<std::string>{});
  CHECK(served.ask("DELETE", "/api/runs/" + first).json()["state"] == "cancelled");
}

TEST_CASE("a server that ends takes its runs with it") {
  const cli::Home* home = nullptr;
  auto served = std::make_unique<Served>();
  home = &served->home;
  fill_variance(*served, kEndless);
  const std::string id = begin_run(*served);
  const auto stream = served->follow("/api/runs/" + id + "/events");
  REQUIRE(stream->until("event: started", 120s));
  const auto asked = std::chrono::steady_clock::now();
  served->server->stop();
  CHECK_FALSE(stream->until("never", 10s));
  CHECK(std::chrono::steady_clock::now() - asked < 5s);
  CHECK(cli::leftover_processes(*home) == std::vector<std::string>{});
  CHECK(served->server->routes().size() > 0);
}

TEST_CASE("after a restart the attempt that was judged is told, and the next one stands in its place") {
  const cli::Home home("restarted");
  home.write("work/05-layernorm/exercise.cu", cli::layernorm_with(cli::kRightVariance));
  std::filesystem::create_directories(home.at("work"));
  {
    const auto store = store::open_store(home.at("work/progress.sqlite"));
    REQUIRE(store);
    REQUIRE((*store)->begin_attempt({"05-layernorm", "0", 1, "vgpu"}));
  }
  std::this_thread::sleep_for(10ms);
  WebOptions options;
  options.workbook.root = home.folder();
  WebServer server(std::move(options));
  const auto asked = [&](const std::string& path) {
    Request request;
    request.method = "GET";
    request.path = path;
    request.headers["host"] = "127.0.0.1";
    return nlohmann::json::parse(server.answer(std::move(request)).body);
  };
  CHECK(asked(kRuns)["runs"].empty());
  CHECK(asked(kRuns)["interrupted"]["attempt"] == 1);
  CHECK(asked("/api/tasks/05-layernorm/attempts")["attempts"][0]["interrupted"] == true);
  CHECK(asked("/api/tasks/06-safe-softmax/runs")["interrupted"].is_null());
}

TEST_CASE("a change on disk is told, with the version to ask for") {
  const Served served;
  const std::string version = fill_variance(served, "  // mine\n");
  const auto events = served.follow("/api/tasks/05-layernorm/file/events?version=" + version);
  REQUIRE(events->until(": open", 10s));
  std::this_thread::sleep_for(200ms);
  CHECK(events->read.find("changed") == std::string::npos);
  served.home.write("work/05-layernorm/exercise.cu", cli::layernorm_with("  // theirs\n"));
  REQUIRE(events->until("event: changed", 10s));
  const std::string now = served.get("/api/tasks/05-layernorm/file").json()["version"];
  CHECK(events->read.find(now) != std::string::npos);
  const Reply conflict =
      served.send("PUT", "/api/tasks/05-layernorm/file", {{"base_version", version}, {"blanks", {{"variance", "  // late\n"}}}});
  CHECK(conflict.status == 409);
  CHECK(conflict.json()["theirs"]["version"] == now);
  CHECK(served.home.read("work/05-layernorm/exercise.cu") == cli::layernorm_with("  // theirs\n"));
  // Who comes with an old version hears it at once.
  CHECK(served.follow("/api/tasks/05-layernorm/file/events?version=" + version)->until(now, 5s));
}

TEST_CASE("answers of a page stand in the learner's sheet, and what would spoil it is refused") {
  const Served served;
  const std::string path = "/api/tasks/05-layernorm/answers";
  const nlohmann::json text = {
      {"answers", {{"explanation", "negative variance <b>\xE2\x80\xAE</b> \x1b[31m because"}, {"variance-of-a-row", 3}}}};
  const Reply reply = served.send("PUT", path, text);
  REQUIRE(reply.status == 200);
  CHECK(reply.json()["of"] == 7.0);
  CHECK(reply.body.find("<b>") == std::string::npos);
  CHECK(served.home.read("work/05-layernorm/answers.md").find("<b>\xE2\x80\xAE</b>") != std::string::npos);
  const nlohmann::json task = served.get("/api/tasks/05-layernorm").json();
  CHECK(task["explanation"]["answer"] == text["answers"]["explanation"]);
  for (const std::string bad : {"a\n## nan-spreads\nb", "> quoted", "<!-- open", "a\n## no-such-question"})
    CHECK(served.send("PUT", path, {{"answers", {{"explanation", bad}}}}).status == 422);
  CHECK(served.send("PUT", path, {{"answers", {{"nan-spreads", "```\nan open fence"}}}}).status == 422);
  CHECK(served.send("PUT", path, {{"answers", {{"none", "a"}}}}).status == 422);
  CHECK(served.send("PUT", path, {{"answers", {{"nan-spreads", {1, 2}}}}}).status == 422);
  CHECK(served.send("PUT", path, {{"answers", {{"explanation", std::string(20000, 'x')}}}}).status == 422);
  CHECK(served.get("/api/tasks/05-layernorm").json()["explanation"]["answer"] == text["answers"]["explanation"]);
  CHECK(served.send("PUT", path, {{"answers", {{"explanation", nullptr}}}}).status == 200);
  CHECK(served.get("/api/tasks/05-layernorm").json()["explanation"]["answer"].is_null());
}

TEST_CASE("a database that goes away and returns") {
  const Served served;
  CHECK(served.send("POST", "/api/tasks/05-layernorm/hints", {{"blank", "variance"}}).status == 200);
  const auto file = served.home.at("work/progress.sqlite");
  for (const char* ending : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + ending);
  served.home.write("work/progress.sqlite",
                    "this is no database, and long enough to be looked at as one, with some more words in it for that purpose");
  CHECK(served.send("POST", "/api/tasks/05-layernorm/hints", {{"blank", "variance"}}).status == 500);
  CHECK(served.get("/api/workbook").status == 200);
  CHECK(served.get("/api/workbook").json()["troubles"].size() == 1);
  std::filesystem::remove(file);
  const Reply again = served.send("POST", "/api/tasks/05-layernorm/hints", {{"blank", "variance"}});
  CHECK(again.status == 200);
  CHECK(again.json()["level"] == 1);
}
