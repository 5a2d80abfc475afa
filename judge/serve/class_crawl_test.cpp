// Every route of a class, asked by a stranger, a learner and an instructor: what it answers is what openapi.json says, and a learner gets
// nothing that is hidden, nothing of another, and nothing that is an instructor's.
#include "judge/serve/api_document.hpp"
#include "judge/serve/class_served.hpp"
#include "judge/serve/hidden_things.hpp"

using namespace warpbook;
using namespace warpbook::serve;
using namespace std::chrono_literals;

namespace {

const std::string kSecret = "a secret of the class of 2027";
/// What `judge run --seed-file` makes of it: of sha256sum for "warpbook seed", a line end and the secret the lower 53 of the first 64 bits;
/// and the sum with "warpbook record", which is what the record keeps.
const std::string kSeed = "4218834007185978", kHash = "53aea7a6757267a5c8a811828c34f2fd37818367e8540f9b8ef5b5efd5a6032e";
const std::string kBobsWords = "bob's very own words about the variance of a row";

/// A class with further cases and a secret, in which bob has worked.
struct AtWork {
  AtWork() {
    outer.home.write("secret", kSecret + "\n");
    outer.home.write("further/05-layernorm/cases.xml",
                     "<cases><boundary name=\"hidden-name\" rows=\"1\" "
                     "cols=\"2\" about=\"what the hidden case is about\"><fill tensor=\"x\" kind=\"ramp\" value=\"61739\" "
                     "step=\"1\"/></boundary></cases>");
    outer.stop();
    outer.wish_secrets("secret", "further");
    outer.start();
    ada = outer.join("ada", "Ada");
    bob = outer.join("bob", "Bob");
    eve = outer.join("eve", "Eve", true);
    run_of_bob = work(bob, "  // " + kBobsWords + "\n  const float scale = rsqrtf(mean_square - mean * mean + eps);\n");
    outer.send(bob, "PUT", "/api/tasks/05-layernorm/answers", {{"answers", {{"explanation", kBobsWords}}}});
    attempt_of_bob = outer.get(bob, "/api/tasks/05-layernorm/attempts").json()["attempts"][0]["id"].dump();
  }
  std::string work(const SignedIn& who, const std::string& lines) {
    const nlohmann::json file = outer.get(who, "/api/tasks/05-layernorm/file").json();
    REQUIRE(outer.send(who, "PUT", "/api/tasks/05-layernorm/file", {{"base_version", file["version"]}, {"blanks", {{"variance", lines}}}})
                .status == 200);
    const std::string run = outer.send(who, "POST", "/api/tasks/05-layernorm/runs", nlohmann::json::object()).json()["run"];
    const auto stream = outer.follow(who, "/api/runs/" + run + "/events");
    REQUIRE(stream->until("event: result", 240s));
    stream->until("0\r\n\r\n", 20s);
    streams += stream->read;
    return run;
  }
  /// The path with what is there: bob's things, the task.
  std::string with_names(std::string path, const std::string& task) const {
    for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{{"{id}", task},
                                                                                      {"{name}", "figure.svg"},
                                                                                      {"{run}", run_of_bob},
                                                                                      {"{attempt}", attempt_of_bob},
                                                                                      {"{person}", std::to_string(bob.id)},
                                                                                      {"{rejudge}", "1"},
                                                                                      {"{token}", "none"}})
      if (const std::size_t at = path.find(name); at != std::string::npos) path.replace(at, name.size(), value);
    return path;
  }

  ClassServed outer;
  SignedIn ada, bob, eve;
  std::string run_of_bob, attempt_of_bob, streams;
};

}  // namespace

TEST_CASE("a crawl as a stranger and as a learner finds nothing that is not theirs") {
  WARPBOOK_NEEDS_POSTGRES();
  AtWork at;
  const ClassServed& served = at.outer;
  const std::vector<task::Task> tasks = tasks_in(served.home.folder());
  Secrets secrets = secrets_of(served.home.folder(), tasks);
  for (const std::string& one : {kSecret, kSeed, kHash, std::string("hidden-name"), std::string("what the hidden case is about"),
                                 std::string("61739"), served.home.folder().string()})
    secrets.needles[one] = "a secret of the class";
  Secrets of_bob;
  for (const std::string& one : {kBobsWords, at.run_of_bob, std::string("\"Bob\""), at.bob.cookie, at.bob.token})
    of_bob.needles[one] = "something of bob's";

  // What bob himself was shown, of a class with further cases: nothing hidden either.
  Reply told;
  nlohmann::json events = nlohmann::json::array();
  for (const std::string& line : split_lines(at.streams))
    if (line.starts_with("data: ")) events.push_back(nlohmann::json::parse(line.substr(6), nullptr, false));
  told.body = events.dump();
  CHECK(told.body.find("further-1") != std::string::npos);
  check_clean(secrets, "bob's stream", told);
  check_clean(secrets, "bob's attempt", served.get(at.bob, "/api/attempts/" + at.attempt_of_bob));
  check_clean(secrets, "bob's run", served.get(at.bob, "/api/runs/" + at.run_of_bob));

  for (const Route& route : served.server->routes()) {
    const bool per_task = route.path.find("{id}") != std::string::npos;
    for (const task::Task& task : tasks) {
      const std::string path = at.with_names(route.path, task.id);
      const std::string body = route.body == Body::kJson ? "{}" : "";
      INFO(route.method << " " << path);
      const Reply stranger = served.ask(route.method, path, body);
      check_clean(secrets, "stranger", stranger);
      if (route.access != Access::kAnyone) CHECK(stranger.status == 401);
      const bool events_of_own = route.path.ends_with("/file/events");
      if (route.method == "DELETE" && route.path == "/api/session") continue;
      if (route.access == Access::kInstructor) {
        const Reply refused = served.ask(route.method, path, body, at.ada.headers());
        CHECK(refused.status == 403);
        CHECK(error_code(refused) == "instructors-only");
      } else if (route.method == "GET" && !events_of_own) {
        for (const char* language : {"?lang=en", "?lang=zh"}) {
          const Reply reply = served.get(at.ada, path + language);
          check_clean(secrets, path + language, reply);
          check_clean(of_bob, path + language, [&] {
            Reply without_path = reply;  // an address that was asked for comes back in the error
            for (std::size_t i = 0; (i = without_path.body.find(path, i)) != std::string::npos;) without_path.body.erase(i, path.size());
            return without_path;
          }());
        }
      }
      if (!per_task) break;
    }
  }
  // The search is no sieve: the instructor sees what the learner does not.
  const Reply evidence = served.get(at.eve, "/api/class/attempts/" + at.attempt_of_bob);
  CHECK(evidence.json()["source"].get<std::string>().find(kBobsWords) != std::string::npos);
  CHECK(evidence.json()["result"]["provenance"]["seed_hash"] == kHash);
}

TEST_CASE("the document knows every route of a class, and no other") {
  WARPBOOK_NEEDS_POSTGRES();
  const ClassServed served;
  std::set<std::string> routes, operations;
  for (const Route& route : served.server->routes()) routes.insert(lower_case(route.method) + " " + route.path);
  const nlohmann::json api = api_document();
  for (const auto& [path, methods] : api["paths"].items())
    for (const auto& [method, operation] : methods.items()) operations.insert(method + " " + path);
  CHECK(routes == operations);
}

TEST_CASE("a class answers each operation as the document says, well asked and badly") {
  WARPBOOK_NEEDS_POSTGRES();
  const nlohmann::json api = api_document();
  AtWork at;
  const ClassServed& served = at.outer;
  // What an operation needs before it can be asked well.
  for (int level = 1; level <= 4; ++level) served.send(at.eve, "POST", "/api/tasks/05-layernorm/hints", {{"blank", "variance"}});
  const std::string run = at.work(at.eve, cli::kRightVariance);
  const std::string attempt = served.get(at.eve, "/api/tasks/05-layernorm/attempts").json()["attempts"][0]["id"].dump();
  const auto rejudge_now = [&] {
    const std::string id = served.send(at.eve, "POST", "/api/class/rejudges", {{"task", "05-layernorm"}}).json()["rejudge"];
    const auto stream = served.follow(at.eve, "/api/class/rejudges/" + id + "/events");
    REQUIRE(stream->until("event: ended", 240s));
    return id;
  };
  const std::string rejudge = rejudge_now();
  const std::string bob = std::to_string(at.bob.id);

  for (const auto& [path, methods] : api["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      std::string verb = method;
      for (char& c : verb) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      std::map<std::string, std::string> known = {{"run", run}, {"attempt", attempt}, {"rejudge", rejudge}, {"person", bob}};
      if (path.starts_with("/api/invitations")) known["token"] = served.invite("carol", "Carol");
      // What would take away what the next ones need goes on something of its own.
      SignedIn who = at.eve;
      if (path == "/api/session" && verb == "DELETE") who = served.sign_in("eve");
      if (verb == "POST" && (path == "/api/session" || path.starts_with("/api/invitations"))) who = {};  // whose session this would end
      if (path == "/api/class/people/{person}" && verb == "DELETE") known["person"] = std::to_string(served.join("dan", "Dan").id);
      if (path.starts_with("/api/class/rejudges/{rejudge}") && verb == "DELETE") known["rejudge"] = rejudge_now();
      const std::string asked = address(path, operation, known);
      INFO(verb << " " << asked);
      if (is_stream(operation)) {
        const auto wire = served.follow(who, asked);
        CHECK(wire->until("text/event-stream", 10s));
        CHECK(wire->read.find("HTTP/1.1 200") == 0);
      } else if (operation.contains("requestBody")) {
        nlohmann::json body = operation["requestBody"]["content"]["application/json"]["example"];
        const nlohmann::json schema = operation["requestBody"]["content"]["application/json"]["schema"];
        CHECK(cli::disagreements(alone(api, schema), body) == std::vector<std::string>{});
        if (body.contains("login")) body = {{"login", "ada"}, {"password", kPassword}};
        if (body.contains("base_version")) body["base_version"] = served.get(who, asked).json()["version"];
        if (body.contains("answers")) body["answers"] = {{"variance-of-a-row", 1.5}};
        if (path.ends_with("/traces")) at.work(at.eve, cli::kRightVariance);
        if (path.ends_with("/override") && verb == "DELETE")
          served.send(who, "PUT", asked, {{"points", 1}, {"reason", "so that it can be lifted"}});
        const Reply reply = served.send(who, verb, asked, body);
        CHECK(reply.status < 300);
        CHECK(faults(api, operation, reply) == std::vector<std::string>{});
        for (const std::string bad : {"{", "[]", "{\"no-such-member\": 1}"}) {
          INFO(bad);
          CHECK(faults(api, operation, served.ask(verb, asked, bad, who.headers())) == std::vector<std::string>{});
        }
        CHECK(faults(api, operation, served.ask(verb, asked, "a", who.headers() + "Content-Type: text/plain\r\n")) ==
              std::vector<std::string>{});
      } else {
        const Reply reply = served.ask(verb, asked, {}, who.headers());
        CHECK(reply.status < 300);
        CHECK(faults(api, operation, reply) == std::vector<std::string>{});
      }
      // A stranger, another site, a learner.
      const std::string body = operation.contains("requestBody") ? "{}" : "";
      CHECK(faults(api, operation, served.ask(verb, asked, body)) == std::vector<std::string>{});
      CHECK(faults(api, operation, served.ask(verb, asked, body, "Sec-Fetch-Site: cross-site\r\n")) == std::vector<std::string>{});
      const bool of_class = operation.contains("tags") && path.starts_with("/api/class/");
      if (of_class) {
        const Reply learner = served.ask(verb, asked, body, at.ada.headers());
        CHECK(learner.status == 403);
        CHECK(faults(api, operation, learner) == std::vector<std::string>{});
      }
      // What is not there.
      if (path.find('{') == std::string::npos) continue;
      const Reply missing = served.ask(
          verb,
          address(path, operation,
                  {{"id", "none"}, {"run", "none"}, {"attempt", "none"}, {"person", "none"}, {"rejudge", "none"}, {"token", "x"}}),
          body, who.headers());
      CHECK(missing.status == 404);
      CHECK(faults(api, operation, missing) == std::vector<std::string>{});
    }
  }
}
