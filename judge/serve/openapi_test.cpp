// Each route of the server is in openapi.json, each operation there is a route, and what the running server answers is what it says.
#include <set>

#include "judge/serve/api_document.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::serve;
using namespace std::chrono_literals;

TEST_CASE("the document knows every route, and no other") {
  const Served served;
  std::set<std::string> routes, operations;
  for (const Route& route : served.server->routes()) routes.insert(lower_case(route.method) + " " + route.path);
  const nlohmann::json api = api_document();
  CHECK(api["openapi"] == "3.1.0");
  for (const auto& [path, methods] : api["paths"].items())
    for (const auto& [method, operation] : methods.items()) {
      if (!is_of_class(operation)) operations.insert(method + " " + path);
      INFO(method << " " << path);
      for (const nlohmann::json& parameter : operation["parameters"])
        if (parameter["in"] == "path") CHECK(path.find("{" + parameter["name"].get<std::string>() + "}") != std::string::npos);
    }
  CHECK(routes == operations);
}

TEST_CASE(
    "the running server answers each operation as the document says, "
    "well asked and badly") {
  const nlohmann::json api = api_document();
  const Served served;
  // Something to look at: a run that has ended, an attempt, and a solution that is open.
  for (int level = 1; level <= 4; ++level) served.send("POST", "/api/tasks/05-layernorm/hints", {{"blank", "variance"}});
  served.home.write("work/05-layernorm/exercise.cu", cli::layernorm_with(cli::kRightVariance));
  const std::string run = served.send("POST", "/api/tasks/05-layernorm/runs", nlohmann::json::object()).json()["run"];
  REQUIRE(served.follow("/api/runs/" + run + "/events")->until("event: result", 240s));
  const std::map<std::string, std::string> known = {{"run", run}, {"attempt", "1"}};

  for (const auto& [path, methods] : api["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      if (is_of_class(operation)) continue;
      std::string verb = method;
      for (char& c : verb) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      const std::string asked = address(path, operation, known);
      INFO(verb << " " << asked);
      if (is_stream(operation)) {
        const auto wire = served.follow(asked);
        CHECK(wire->until("text/event-stream", 10s));
        CHECK(wire->read.find("HTTP/1.1 200") == 0);
      } else if (operation.contains("requestBody")) {
        nlohmann::json body = operation["requestBody"]["content"]["application/json"]["example"];
        const nlohmann::json schema = operation["requestBody"]["content"]["application/json"]["schema"];
        CHECK(cli::disagreements(alone(api, schema), body) == std::vector<std::string>{});
        if (body.contains("base_version")) {
          const Reply conflict = served.send(verb, asked, body);
          CHECK(conflict.status == 409);
          CHECK(faults(api, operation, conflict) == std::vector<std::string>{});
          body["base_version"] = served.get(asked).json()["version"];
        }
        if (body.contains("answers")) body["answers"] = {{"variance-of-a-row", 1.5}};
        if (path.ends_with("/traces")) served.home.write("work/05-layernorm/exercise.cu", cli::layernorm_with(cli::kRightVariance));
        const Reply reply = served.send(verb, asked, body);
        CHECK(reply.status < 300);
        CHECK(faults(api, operation, reply) == std::vector<std::string>{});
        for (const std::string bad : {"{", "[]", "{\"no-such-member\": 1}"}) {
          const Reply refusal = served.ask(verb, asked, bad);
          INFO(bad);
          CHECK(faults(api, operation, refusal) == std::vector<std::string>{});
        }
        CHECK(faults(api, operation, served.ask(verb, asked, "a", "Content-Type: text/plain\r\n")) == std::vector<std::string>{});
      } else {
        const Reply reply = served.ask(verb, asked);
        CHECK(reply.status < 300);
        CHECK(faults(api, operation, reply) == std::vector<std::string>{});
        const Reply foreign = served.ask(verb, asked, {}, "Sec-Fetch-Site: cross-site\r\n");
        CHECK(foreign.status == 403);
        CHECK(faults(api, operation, foreign) == std::vector<std::string>{});
      }
      // What is not there.
      if (path.find('{') == std::string::npos) continue;
      const Reply missing = served.ask(verb, address(path, operation, {{"id", "none"}, {"run", "none"}, {"attempt", "none"}}),
                                       operation.contains("requestBody") ? "{}" : "");
      CHECK(missing.status == 404);
      CHECK(faults(api, operation, missing) == std::vector<std::string>{});
    }
  }
}
