// Everything a learner can ask before anything is open, in both languages, is searched for what they should not see yet: lines of
// solutions, names and texts of wrong submissions, which option is right and why, hints that were not asked for, seeds and fills.
#include "judge/serve/hidden_things.hpp"

using namespace warpbook;
using namespace warpbook::serve;
using namespace std::chrono_literals;

TEST_CASE("nothing that is hidden goes out before it is open") {
  const Served served;
  const std::vector<task::Task> tasks = tasks_in(served.home.folder());
  const Secrets secrets = secrets_of(served.home.folder(), tasks);
  REQUIRE(secrets.needles.size() > 1000);
  // The search finds what it looks for.
  for (const auto& [needle, what] : secrets.needles)
    if (what == "05-layernorm solution") CHECK(cli::layernorm_with(cli::kRightVariance).find(needle) != std::string::npos);

  for (const Route& route : served.server->routes()) {
    if (route.method != "GET" || route.path.find("/events") != std::string::npos) continue;
    for (const task::Task& task : tasks) {
      std::string path = route.path;
      for (const auto& [name, value] :
           {std::pair<std::string, std::string>{"{id}", task.id}, {"{name}", "figure.svg"}, {"{run}", "1"}, {"{attempt}", "1"}})
        if (const std::size_t at = path.find(name); at != std::string::npos) path.replace(at, name.size(), value);
      for (const char* language : {"?lang=en", "?lang=zh"}) check_clean(secrets, path + language, served.get(path + language));
      if (path.ends_with("/solution")) CHECK(served.get(path).status == 403);
    }
  }
  // What is not an address of the API is no way around it.
  for (const std::string path :
       {"/lessons/05-layernorm/solution.cu", "/../lessons/05-layernorm/solution.cu", "/api/tasks/05-layernorm/figures/solution.cu",
        "/api/tasks/05-layernorm/figures/..%2F..%2F05-layernorm%2Fsolution.cu", "/api/tasks/05-layernorm/figures/lesson.xml"})
    CHECK(served.get(path).status == 404);

  // A failing run, its stream, its record, and its trace.
  served.home.write(
      "work/05-layernorm/exercise.cu",
      cli::layernorm_with("  const float variance = mean_square - mean * mean;\n  const float scale = rsqrtf(variance + eps);\n"));
  const std::string run = served.send("POST", "/api/tasks/05-layernorm/runs", nlohmann::json::object()).json()["run"];
  const auto stream = served.follow("/api/runs/" + run + "/events");
  REQUIRE(stream->until("event: result", 240s));
  stream->until("0\r\n\r\n", 20s);
  Reply whole;
  nlohmann::json told = nlohmann::json::array();
  for (const std::string& line : split_lines(stream->read))
    if (line.starts_with("data: ")) told.push_back(nlohmann::json::parse(line.substr(6), nullptr, false));
  REQUIRE(told.size() > 10);
  whole.body = told.dump();
  check_clean(secrets, "stream", whole);
  check_clean(secrets, "run", served.get("/api/runs/" + run));
  check_clean(secrets, "attempt", served.get("/api/attempts/1"));
  check_clean(secrets, "attempts", served.get("/api/tasks/05-layernorm/attempts"));
  check_clean(secrets, "trace", served.send("POST", "/api/tasks/05-layernorm/traces", {{"case", "plain"}}));
  Secrets but_marks = secrets;
  but_marks.needles.erase("\"right\"");  // whether an answer given is right
  check_clean(but_marks, "answers", served.send("PUT", "/api/tasks/05-layernorm/answers", {{"answers", nlohmann::json::object()}}));

  // The search is no sieve: what is opened now, it finds.
  const auto finds = [&](const Reply& reply, const std::string& wanted) {
    const std::string text = texts_of(reply);
    return std::any_of(secrets.needles.begin(), secrets.needles.end(), [&](const auto& needle) {
      return needle.second.starts_with(wanted) && text.find(needle.first) != std::string::npos;
    });
  };
  for (int level = 1; level <= 4; ++level)
    CHECK(finds(served.send("POST", "/api/tasks/05-layernorm/hints", {{"blank", "variance"}}), "05-layernorm hint"));
  CHECK(finds(served.get("/api/tasks/05-layernorm/solution"), "05-layernorm solution"));
  CHECK(finds(served.get("/api/runs/" + run), "05-layernorm mistake"));
}
