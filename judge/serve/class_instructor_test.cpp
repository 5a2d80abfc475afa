// An instructor's way through a class: the list, progress, one submission, points by hand, statistics, judging again.
#include <algorithm>
#include <array>
#include <thread>

#include "judge/serve/class_served.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::serve;
using namespace std::chrono_literals;

namespace {

const std::string kGradedTask = "/api/tasks/05-layernorm";
const std::string kWrong = "  const float variance = mean_square - mean * mean;\n  const float scale = rsqrtf(variance + eps);\n";

void hand_in(const ClassServed& served, const SignedIn& who, const std::string& lines) {
  const nlohmann::json file = served.get(who, kGradedTask + "/file").json();
  REQUIRE(served.send(who, "PUT", kGradedTask + "/file", {{"base_version", file["version"]}, {"blanks", {{"variance", lines}}}}).status ==
          200);
  const std::string run = served.send(who, "POST", kGradedTask + "/runs", nlohmann::json::object()).json()["run"];
  REQUIRE(served.follow(who, "/api/runs/" + run + "/events")->until("event: result", 240s));
}

/// A further case on which no float32 kernel can be right: what overflows in one step of it.
void add_impossible_case(ClassServed& served) {
  served.home.write("further/05-layernorm/cases.xml",
                    "<cases><boundary name=\"too-far\" rows=\"1\" cols=\"2\" about=\"x\"><fill tensor=\"x\" kind=\"ramp\" value=\"3e38\" "
                    "step=\"-6e38\"/></boundary></cases>");
  served.stop();
  served.wish_secrets("", "further");
  served.start();
}

nlohmann::json cell_of(const ClassServed& served, const SignedIn& instructor, const SignedIn& who) {
  const nlohmann::json progress = served.get(instructor, "/api/class/progress").json();
  for (const nlohmann::json& person : progress["people"]) {
    if (person["id"] != who.id) continue;
    for (const nlohmann::json& cell : person["cells"])
      if (cell["task"] == "05-layernorm") return cell;
  }
  FAIL("no such cell");
  return {};
}

nlohmann::json ended(const ClassServed& served, const SignedIn& instructor, const std::string& rejudge) {
  const auto stream = served.follow(instructor, "/api/class/rejudges/" + rejudge + "/events");
  REQUIRE(stream->until("event: ended", 240s));
  CHECK(stream->read.find("event: progress") != std::string::npos);
  return served.get(instructor, "/api/class/rejudges/" + rejudge).json();
}

}  // namespace

TEST_CASE("a list of people comes in once, and a bad one not at all, with the place of its fault") {
  WARPBOOK_NEEDS_POSTGRES();
  const ClassServed served;
  const SignedIn eve = served.join("eve", "Eve", true);
  const auto import = [&](const std::string& csv) { return served.send(eve, "POST", "/api/class/roster", {{"csv", csv}}); };
  const Reply in = import(
      "\xEF\xBB\xBFname,login,role\r\n\"Lovelace, "
      "Ada\",ada,\r\n\xE5\xBC\xA0\xE4\xBC\x9F <b>,zhang@example.org,learner\r\nOther Teacher,ot,instructor\r\n");
  REQUIRE(in.status == 200);
  const nlohmann::json invited = in.json()["invited"];
  REQUIRE(invited.size() == 3);
  CHECK(in.json()["unchanged"] == 0);
  CHECK(served.get(eve, "/api/class/people").json()["people"].size() == 4);
  const std::string link = invited[0]["link"];
  CHECK(served.ask("GET", "/api" + link.substr(link.find("/invitations"))).json()["name"] == "Lovelace, Ada");
  for (const auto& [csv, where] : std::vector<std::pair<std::string, std::string>>{{"", "line 1"},
                                                                                   {"login\nbob\n", "line 1"},
                                                                                   {"login,name\nbob\n", "line 2"},
                                                                                   {"login,name\nbob,Bob\nbob,Bob\n", "line 3"},
                                                                                   {"login,name\nbob,\"Bob\n", "line 2"},
                                                                                   {"login,name,role\nbob,Bob,king\n", "line 2"},
                                                                                   {"login,name\nbo b,Bob\n", "line 2"}}) {
    const Reply refused = import(csv);
    INFO(csv << refused.body);
    CHECK(refused.status == 422);
    CHECK(error_code(refused) == "bad-roster");
    CHECK(refused.json()["error"]["where"].get<std::string>().find(where) == 0);
  }
  CHECK(served.ask("POST", "/api/class/roster", "{\"csv\": \"login,name\\nbob,\xff\"}", eve.headers()).status == 400);  // no text at all
  CHECK(served.send(eve, "POST", "/api/class/roster", {{"csv", 3}}).status == 422);
  CHECK(served.get(eve, "/api/class/people").json()["people"].size() == 4);
  // The same list again doubles nobody.
  CHECK(import("login,name\neve,Eve\nada,Ada L\n").json()["unchanged"] == 1);
  CHECK(served.get(eve, "/api/class/people").json()["people"].size() == 4);
}

TEST_CASE(
    "an instructor sees everybody's work and gives points with a reason, "
    "which stay on record") {
  WARPBOOK_NEEDS_POSTGRES();
  const ClassServed served;
  const SignedIn eve = served.join("eve", "Eve", true), ada = served.join("ada", "=Ada"), bob = served.join("bob", "Bob");
  hand_in(served, ada, kWrong);
  hand_in(served, ada, cli::kRightVariance);
  hand_in(served, bob, kWrong);
  const nlohmann::json progress = served.get(eve, "/api/class/progress").json();
  CHECK(progress["people"].size() == 2);
  CHECK(progress["tasks"].size() == progress["people"][0]["cells"].size());
  const nlohmann::json before = cell_of(served, eve, ada);
  CHECK(before["attempts"] == 2);
  CHECK(before["points"] == before["best_points"]);

  const std::string of_ada = "/api/class/people/" + std::to_string(ada.id) + "/tasks/05-layernorm";
  const nlohmann::json submission = served.get(eve, of_ada).json();
  REQUIRE(submission["attempts"].size() == 2);
  CHECK(submission["attempts"][0]["verdict"] == "AC");
  CHECK(submission["person"]["name"] == "=Ada");
  const nlohmann::json evidence = served.get(eve, "/api/class/attempts/" + submission["attempts"][1]["id"].dump()).json();
  CHECK(evidence["source"] == cli::layernorm_with(kWrong));
  CHECK(evidence["result"]["verdict"] == "WA");
  CHECK(evidence["result"]["diagnosis"].contains("name"));

  const auto set = [&](const nlohmann::json& body) { return served.send(eve, "PUT", of_ada + "/override", body); };
  for (const nlohmann::json& bad : std::vector<nlohmann::json>{{{"points", 9}},
                                                               {{"points", 9}, {"reason", " \n"}},
                                                               {{"points", 11}, {"reason", "x"}},
                                                               {{"points", -1}, {"reason", "x"}},
                                                               {{"points", "9"}, {"reason", "x"}},
                                                               {{"reason", "x"}},
                                                               {{"points", 9}, {"reason", std::string(3000, 'x')}}}) {
    INFO(bad.dump());
    CHECK(set(bad).status == 422);
  }
  CHECK(cell_of(served, eve, ada)["override"].is_null());
  const Reply given = set({{"points", 9.5}, {"reason", "the explanation is right"}});
  CHECK(given.status == 200);
  CHECK(given.json()["points"] == 9.5);
  CHECK(given.json()["best_points"] == before["best_points"]);
  CHECK(cell_of(served, eve, ada)["override"]["reason"] == "the explanation is right");
  CHECK(cell_of(served, eve, ada)["override"]["by"] == eve.id);
  CHECK(served.send(eve, "DELETE", of_ada + "/override", {{"reason", ""}}).status == 422);
  CHECK(served.send(eve, "DELETE", of_ada + "/override", {{"reason", "wrong person"}}).status == 200);
  CHECK(served.send(eve, "DELETE", of_ada + "/override", {{"reason", "again"}}).status == 409);
  CHECK(cell_of(served, eve, ada)["points"] == before["best_points"]);
  const nlohmann::json history = served.get(eve, of_ada).json()["overrides"];
  REQUIRE(history.size() == 2);
  CHECK(history[0]["points"] == 9.5);
  CHECK(history[0]["by_name"] == "Eve");
  CHECK(history[1]["lifted"] == true);

  const Reply csv = served.get(eve, "/api/class/gradebook?format=csv");
  CHECK(csv.header("content-type") == "text/csv; charset=utf-8");
  CHECK(csv.header("content-disposition") == "attachment; filename=\"gradebook.csv\"");
  CHECK(csv.body.find("'=Ada") != std::string::npos);
  CHECK(served.get(eve, "/api/class/gradebook?format=gradescope").json().size() == 2);
  CHECK(served.get(eve, "/api/class/gradebook?format=lms").json().contains("lineItems"));
  CHECK(served.get(eve, "/api/class/gradebook?format=xls").status == 400);

  const nlohmann::json statistics = served.get(eve, "/api/class/statistics/05-layernorm").json();
  CHECK(statistics["learners"] == 2);
  CHECK(statistics["verdicts"]["AC"] == 1);
  CHECK(statistics["verdicts"]["WA"] == 1);
  CHECK(statistics["all"]["verdicts"]["WA"] == 2);
  CHECK(std::any_of(statistics["cases"].begin(), statistics["cases"].end(), [](const nlohmann::json& c) { return c["failed"] == 1; }));
}

TEST_CASE("a list does not take the role away from whoever imports it, and a reason is text") {
  WARPBOOK_NEEDS_POSTGRES();
  const ClassServed served;
  const SignedIn eve = served.join("eve", "Eve", true), ada = served.join("ada", "Ada");
  const Reply refused = served.send(eve, "POST", "/api/class/roster", {{"csv", "login,name,role\nada,Ada,learner\nEVE,Eve,learner\n"}});
  CHECK(refused.status == 422);
  CHECK(refused.json()["error"]["code"] == "own-account");
  CHECK(served.get(eve, "/api/class/people").status == 200);
  const std::string points = "/api/class/people/" + std::to_string(ada.id) + "/tasks/05-layernorm/override";
  const Reply no_text = served.send(eve, "PUT", points, {{"points", 1}, {"reason", std::string("a\0b", 3)}});
  CHECK(no_text.status == 422);
  // A number that no double can hold is a fault of the request, not of the server.
  const Reply beyond = served.ask("PUT", points, "{\"points\": 1e999, \"reason\": \"x\"}", eve.headers());
  CHECK(beyond.status == 400);
  CHECK(beyond.json()["error"]["code"] == "bad-json");
}

TEST_CASE("judging again changes nothing until it is applied, and then what counts follows") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassServed served;
  const SignedIn eve = served.join("eve", "Eve", true), ada = served.join("ada", "Ada"), bob = served.join("bob", "Bob");
  hand_in(served, ada, cli::kRightVariance);
  // Right but for one further case, which the class does not have yet.
  hand_in(served, bob, cli::kRightVariance);
  const nlohmann::json before = served.get(eve, "/api/class/progress").json();
  const std::string rejudges = "/api/class/rejudges";
  CHECK(served.send(eve, "POST", rejudges, {{"task", "none"}}).status == 422);
  CHECK(served.send(eve, "POST", rejudges, {{"task", "05-layernorm"}, {"people", {"ada"}}}).status == 422);
  CHECK(served.send(eve, "POST", rejudges, {{"task", "05-layernorm"}, {"people", nlohmann::json::array()}}).status == 422);

  const std::string same = served.send(eve, "POST", rejudges, {{"task", "05-layernorm"}}).json()["rejudge"];
  const nlohmann::json unchanged = ended(served, eve, same);
  CHECK(unchanged["state"] == "ended");
  CHECK(unchanged["done"] == 2);
  CHECK(unchanged["of"] == 2);
  CHECK(unchanged["changes"].empty());
  CHECK(unchanged["troubles"].empty());

  add_impossible_case(served);
  const std::string id = served.send(eve, "POST", rejudges, {{"task", "05-layernorm"}, {"people", {bob.id}}}).json()["rejudge"];
  const nlohmann::json preview = ended(served, eve, id);
  INFO(preview.dump(1));
  REQUIRE(preview["changes"].size() == 1);
  const nlohmann::json& change = preview["changes"][0];
  CHECK(change["person"] == bob.id);
  CHECK(change["before"]["verdict"] == "AC");
  CHECK(change["after"]["verdict"] != "AC");
  CHECK(change["after"]["points"] < change["before"]["points"]);
  CHECK(change["failed_now"] == nlohmann::json::array({"further-1"}));
  // Nothing has changed: no attempt, no file, no points.
  CHECK(served.get(eve, "/api/class/progress").json() == before);
  CHECK(served.get(bob, kGradedTask + "/attempts").json()["attempts"].size() == 1);
  CHECK(served.get(bob, kGradedTask + "/runs").json()["runs"].empty());

  const Reply applied = served.send(eve, "POST", rejudges + "/" + id + "/apply", nlohmann::json::object());
  REQUIRE(applied.status == 200);
  CHECK(applied.json()["state"] == "applied");
  CHECK(applied.json()["recorded"] == 1);
  CHECK(applied.json()["overridden"] == 1);
  const nlohmann::json attempts = served.get(bob, kGradedTask + "/attempts").json()["attempts"];
  REQUIRE(attempts.size() == 2);
  CHECK(attempts[0]["verdict"] == change["after"]["verdict"]);
  const nlohmann::json cell = cell_of(served, eve, bob);
  CHECK(cell["points"] == change["after"]["points"]);
  CHECK(cell["override"]["reason"].get<std::string>().find("judged again") == 0);
  CHECK(cell_of(served, eve, ada)["override"].is_null());
  // Once is enough.
  const Reply again = served.send(eve, "POST", rejudges + "/" + id + "/apply", nlohmann::json::object());
  CHECK(again.json()["recorded"] == 0);
  CHECK(served.get(bob, kGradedTask + "/attempts").json()["attempts"].size() == 2);
}

TEST_CASE("judging again is about code: answers keep what they earned, and who has a better attempt by now is left alone") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassServed served;
  const SignedIn eve = served.join("eve", "Eve", true), bob = served.join("bob", "Bob");
  const std::string rejudges = "/api/class/rejudges";
  // Options stand in an order of each learner's own.
  const auto answer = [&](const std::string& begins) {
    std::string letter;
    const nlohmann::json task = served.get(bob, kGradedTask).json();
    for (const nlohmann::json& question : task["questions"])
      for (const nlohmann::json& option : question.value("options", nlohmann::json::array()))
        if (option["html"].get<std::string>().find(begins) != std::string::npos) letter = option["id"];
    const Reply reply = served.send(bob, "PUT", kGradedTask + "/answers", {{"answers", {{"what-the-clamp-does", letter}}}});
    INFO(letter << " " << reply.body);
    REQUIRE(reply.status == 200);
    CHECK((reply.json()["points"] == 2.0) == (begins == "They are finite"));
  };
  CHECK(served.send(eve, "POST", rejudges, {{"task", "05-layernorm"}, {"people", {999}}}).status == 422);
  hand_in(served, bob, cli::kRightVariance);
  const double without = cell_of(served, eve, bob)["points"];
  answer("They are finite");
  hand_in(served, bob, std::string("  // with an answer\n") + cli::kRightVariance);
  const double with = cell_of(served, eve, bob)["points"];
  REQUIRE(with > without);
  // Another answer since, a fatal one even: the code is what it was.
  answer("the clamp repairs");
  const std::string same = served.send(eve, "POST", rejudges, {{"task", "05-layernorm"}}).json()["rejudge"];
  CHECK(ended(served, eve, same)["changes"].empty());

  add_impossible_case(served);
  const std::string id = served.send(eve, "POST", rejudges, {{"task", "05-layernorm"}}).json()["rejudge"];
  const nlohmann::json preview = ended(served, eve, id);
  INFO(preview.dump(1));
  REQUIRE(preview["changes"].size() == 1);
  const nlohmann::json& change = preview["changes"][0];
  CHECK(change["before"]["points"] == with);
  CHECK(change["after"]["points"].get<double>() >= with - without);
  CHECK(change["after"]["points"] < with);
  // Handed in before it is applied: as good as the best, and later.
  answer("They are finite");
  std::filesystem::remove_all(served.home.at("further/05-layernorm"));
  hand_in(served, bob, std::string("  // once more\n") + cli::kRightVariance);
  const nlohmann::json applied = served.send(eve, "POST", rejudges + "/" + id + "/apply", nlohmann::json::object()).json();
  INFO(applied.dump(1));
  CHECK(applied["recorded"] == 0);
  CHECK(applied["overridden"] == 0);
  REQUIRE(applied["troubles"].size() == 1);
  CHECK(applied["troubles"][0]["person"] == bob.id);
  const nlohmann::json cell = cell_of(served, eve, bob);
  CHECK(cell["points"] == with);
  CHECK(cell["override"].is_null());
}

TEST_CASE("of two rejudges of one attempt that are applied at once, one counts and the other one says so") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassServed served;
  const SignedIn eve = served.join("eve", "Eve", true), bob = served.join("bob", "Bob");
  hand_in(served, bob, cli::kRightVariance);
  add_impossible_case(served);
  const std::string rejudges = "/api/class/rejudges";
  std::array<std::string, 2> ids;
  for (std::string& id : ids) {
    id = served.send(eve, "POST", rejudges, {{"task", "05-layernorm"}}).json()["rejudge"];
    REQUIRE(ended(served, eve, id)["changes"].size() == 1);
  }
  std::array<nlohmann::json, 2> applied;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < ids.size(); ++i)
    threads.emplace_back([&, i] {
      const Reply reply = served.send(eve, "POST", rejudges + "/" + ids[i] + "/apply", nlohmann::json::object());
      applied[i] = nlohmann::json::parse(reply.body, nullptr, false);
    });
  for (std::thread& thread : threads) thread.join();
  const nlohmann::json& first = applied[0]["recorded"] == 1 ? applied[0] : applied[1];
  const nlohmann::json& second = applied[0]["recorded"] == 1 ? applied[1] : applied[0];
  INFO(first.dump(1) << second.dump(1));
  CHECK(first["recorded"] == 1);
  CHECK(first["overridden"] == 1);
  CHECK(first["troubles"].empty());
  CHECK(second["recorded"] == 0);
  CHECK(second["overridden"] == 0);
  REQUIRE(second["troubles"].size() == 1);
  CHECK(second["troubles"][0]["message"].get<std::string>().find("another rejudge of this attempt was applied since") == 0);
  CHECK(served.get(bob, kGradedTask + "/attempts").json()["attempts"].size() == 2);
  // One that looks at it from then on sees what is on record, and may be applied.
  const std::string third = served.send(eve, "POST", rejudges, {{"task", "05-layernorm"}}).json()["rejudge"];
  REQUIRE(ended(served, eve, third)["changes"].size() == 1);
  CHECK(served.send(eve, "POST", rejudges + "/" + third + "/apply", nlohmann::json::object()).json()["recorded"] == 1);
  CHECK(cell_of(served, eve, bob)["override"]["points"] == first["changes"][0]["after"]["points"]);
}

TEST_CASE("judging again can be stopped, and what was stopped is not applied") {
  WARPBOOK_NEEDS_POSTGRES();
  const ClassServed served;
  const SignedIn eve = served.join("eve", "Eve", true), ada = served.join("ada", "Ada");
  hand_in(served, ada, cli::kRightVariance);
  const std::string id = served.send(eve, "POST", "/api/class/rejudges", {{"task", "05-layernorm"}}).json()["rejudge"];
  const std::string path = "/api/class/rejudges/" + id;
  CHECK(served.send(eve, "POST", path + "/apply", nlohmann::json::object()).status == 409);
  CHECK(served.remove(eve, path).status == 200);
  const auto stream = served.follow(eve, path + "/events");
  REQUIRE(stream->until("event: ended", 30s));
  CHECK(served.get(eve, path).json()["state"] == "cancelled");
  CHECK(served.send(eve, "POST", path + "/apply", nlohmann::json::object()).status == 409);
  CHECK(served.get(eve, path + "/events").status == 200);
  CHECK(served.get(eve, "/api/class/rejudges/none").status == 404);
}
