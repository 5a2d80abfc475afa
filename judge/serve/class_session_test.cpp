// Coming into a class, going out of it, and what stands between: cookies, tokens, roles, tries.
#include <array>
#include <thread>

#include "judge/serve/class_served.hpp"

using namespace warpbook;
using namespace warpbook::serve;
using namespace std::chrono_literals;

namespace {

nlohmann::json signing(const std::string& login, const std::string& password = kPassword) {
  return {{"login", login}, {"password", password}};
}

/// Headers of a stranger who sends a token all the same.
std::string only_cookie(const SignedIn& who) { return "Cookie: warpbook_session=" + who.cookie + "\r\n"; }

}  // namespace

TEST_CASE("an invitation lets somebody in once, and the session is the cookie's") {
  WARPBOOK_NEEDS_POSTGRES();
  const ClassServed served;
  const nlohmann::json stranger = served.ask("GET", "/api/session").json();
  CHECK(stranger["form"] == "class");
  CHECK(stranger["class"] == "GPU kernels 2027");
  CHECK(stranger["person"].is_null());
  CHECK(stranger["token"].is_null());

  const std::string link = "/api/invitations/" + served.invite("ada", "Ada <b>\"L\"</b>");
  const Reply invitation = served.ask("GET", link);
  CHECK(invitation.status == 200);
  CHECK(invitation.json()["login"] == "ada");
  CHECK(invitation.json()["role"] == "learner");
  CHECK(error_code(served.ask("GET", "/api/invitations/none")) == "no-invitation");
  CHECK(served.ask("GET", "/api/invitations/" + std::string(5000, 'a')).status == 404);
  for (const std::string password : {"short", "123456789", ""}) {
    const Reply refused = served.ask("POST", link, nlohmann::json({{"password", password}}).dump());
    CHECK(refused.status == 422);
    CHECK(error_code(refused) == "bad-password");
  }
  CHECK(served.ask("POST", link, nlohmann::json({{"password", std::string(1001, 'x')}}).dump()).status == 422);
  CHECK(served.ask("POST", link, "{\"password\": 3}").status == 422);
  const Reply accepted = served.ask("POST", link, nlohmann::json({{"password", kPassword}}).dump());
  const SignedIn ada = ClassServed::signed_in(accepted);
  CHECK(accepted.header("set-cookie").find("; HttpOnly") != std::string::npos);
  CHECK(accepted.header("set-cookie").find("; SameSite=Strict") != std::string::npos);
  CHECK(accepted.header("set-cookie").find("; Path=/") != std::string::npos);
  CHECK(accepted.header("set-cookie").find("Secure") == std::string::npos);
  CHECK(accepted.header("cache-control") == "no-store");
  CHECK(served.ask("POST", link, nlohmann::json({{"password", kPassword}}).dump()).status == 404);
  CHECK(served.ask("GET", link).status == 404);

  const nlohmann::json session = served.get(ada, "/api/session").json();
  CHECK(session["person"]["name"] == "Ada <b>\"L\"</b>");
  CHECK(session["person"]["role"] == "learner");
  CHECK(session["token"] == ada.token);
  CHECK(served.get(ada, "/api/workbook").status == 200);
  CHECK(error_code(served.ask("GET", "/api/workbook")) == "signed-out");
  CHECK(served.ask("GET", "/api/workbook").status == 401);
  CHECK(served.ask("GET", "/api/workbook", {}, "Cookie: warpbook_session=" + std::string(43, 'a') + "\r\n").status == 401);
  // The page itself is for everybody: it is what asks for the password.
  CHECK(served.ask("GET", "/sign-in").status == 200);
}

TEST_CASE("behind https the cookie is sent over https only, and Host and Origin are the class's own") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassWishes wishes;
  wishes.origin = "https://course.example";
  const ClassServed served(wishes);
  const std::string token = served.invite("ada", "Ada");
  const auto through_proxy = [&](const std::string& method, const std::string& path, const std::string& body, const std::string& more) {
    Wire wire(served.port);
    wire.send(method + " " + path + " HTTP/1.1\r\nHost: course.example\r\nConnection: close\r\nX-Forwarded-For: 192.0.2.7\r\n" + more +
              "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return wire.reply();
  };
  const std::string body = nlohmann::json({{"password", kPassword}}).dump();
  CHECK(error_code(through_proxy("POST", "/api/invitations/" + token, body, "Origin: https://evil.example\r\n")) == "foreign-origin");
  const Reply in = through_proxy("POST", "/api/invitations/" + token, body, "Origin: https://course.example\r\n");
  REQUIRE(in.status == 200);
  CHECK(in.header("set-cookie").find("; Secure") != std::string::npos);
  Wire foreign(served.port);
  foreign.send("GET /api/session HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
  CHECK(foreign.reply().status == 403);
}

TEST_CASE("what changes something needs the token of its own session") {
  WARPBOOK_NEEDS_POSTGRES();
  const ClassServed served;
  const SignedIn ada = served.join("ada", "Ada"), bob = served.join("bob", "Bob"), eve = served.join("eve", "Eve", true);
  const SignedIn ada_again = served.sign_in("ada");
  CHECK(ada_again.token != ada.token);
  const std::string path = "/api/tasks/05-layernorm/runs";
  const auto begun = [&](const std::string& headers) { return served.ask("POST", path, "{\"cases\": [\"none\"]}", headers); };
  CHECK(begun(ada.headers()).status == 422);  // it got through, and has no such case
  for (const std::string& token : std::vector<std::string>{"", "x", bob.token, eve.token, ada_again.token, ada.token + "x"}) {
    const Reply refused = begun(only_cookie(ada) + "X-Warpbook-Token: " + token + "\r\n");
    INFO(token);
    CHECK(refused.status == 403);
    CHECK(error_code(refused) == "bad-token");
  }
  CHECK(error_code(begun(only_cookie(ada))) == "bad-token");
  CHECK(begun("X-Warpbook-Token: " + ada.token + "\r\n").status == 401);
  // Every route that changes something, whatever it is.
  for (const Route& route : served.server->routes()) {
    if (route.method == "GET" || route.access == Access::kAnyone) continue;
    std::string at = std::regex_replace(route.path, std::regex("\\{[a-z]+\\}"), "1");
    const std::string body = route.body == Body::kJson ? "{}" : "";
    INFO(route.method << " " << at);
    CHECK(error_code(served.ask(route.method, at, body, only_cookie(eve))) == "bad-token");
    CHECK(error_code(served.ask(route.method, at, body, only_cookie(eve) + "X-Warpbook-Token: " + ada.token + "\r\n")) == "bad-token");
    CHECK(error_code(served.ask(route.method, at, body)) == "signed-out");
  }
}

TEST_CASE(
    "a session ends when it is signed out, when its person is removed, "
    "and with a new password") {
  WARPBOOK_NEEDS_POSTGRES();
  const ClassServed served;
  const SignedIn eve = served.join("eve", "Eve", true), ada = served.join("ada", "Ada"), bob = served.join("bob", "Bob");
  const SignedIn ada_elsewhere = served.sign_in("ADA");
  const auto events = served.follow(ada_elsewhere, "/api/tasks/05-layernorm/file/events");
  REQUIRE(events->until(": open", 10s));
  const Reply out = served.remove(ada, "/api/session");
  CHECK(out.status == 200);
  CHECK(out.json()["person"].is_null());
  CHECK(out.header("set-cookie").find("Max-Age=0") != std::string::npos);
  CHECK(served.get(ada, "/api/workbook").status == 401);
  CHECK(served.get(ada_elsewhere, "/api/workbook").status == 200);

  const std::string people = "/api/class/people/" + std::to_string(ada.id);
  const std::string link = served.send(eve, "POST", people + "/invitation", nlohmann::json::object()).json()["link"];
  const std::string token = link.substr(link.rfind('/') + 1);
  CHECK(link == "http://" + served.host() + "/invitations/" + token);
  CHECK(served.ask("POST", "/api/session", signing("ada").dump()).status == 200);  // the old password is good until then
  CHECK(served.ask("POST", "/api/invitations/" + token, "{\"password\": \"another long password\"}").status == 200);
  CHECK(served.get(ada_elsewhere, "/api/workbook").status == 401);
  CHECK(served.ask("POST", "/api/session", signing("ada").dump()).status == 401);
  const Reply again = served.ask("POST", "/api/session", signing("ada", "another long password").dump());
  CHECK(again.status == 200);
  // Also a stream that is open ends, a little later.
  CHECK_FALSE(events->until("never", 30s));
  CHECK(events->closed);

  CHECK(served.remove(eve, "/api/class/people/" + std::to_string(bob.id)).status == 200);
  CHECK(served.get(bob, "/api/workbook").status == 401);
  CHECK(served.ask("POST", "/api/session", signing("bob").dump()).status == 401);
  CHECK(served.remove(eve, "/api/class/people/" + std::to_string(eve.id)).status == 422);
}

TEST_CASE(
    "wrong passwords are slowed down, for the login and for the address, "
    "and say when to try again") {
  WARPBOOK_NEEDS_POSTGRES();
  const ClassServed served;
  const SignedIn ada = served.join("ada", "Ada"), bob = served.join("bob", "Bob");
  const auto try_in = [&](const nlohmann::json& body) { return served.ask("POST", "/api/session", body.dump()); };
  CHECK(try_in({{"login", "ada"}}).status == 422);
  CHECK(try_in(signing("ada", std::string(2000, 'x'))).status == 422);
  const Reply wrong = try_in(signing("ada", "not the password"));
  const Reply nobody = try_in(signing("nobody", "not the password"));
  CHECK(wrong.status == 401);
  CHECK(wrong.body == nobody.body);
  for (int i = 0; i < 9; ++i) CHECK(try_in(signing("Ada", "not the password")).status == 401);
  const Reply slowed = try_in(signing("ada"));
  CHECK(slowed.status == 429);
  CHECK(error_code(slowed) == "too-many-tries");
  CHECK(std::stoi(slowed.header("retry-after")) > 0);
  CHECK(slowed.json()["error"]["retry_after"] == std::stoi(slowed.header("retry-after")));
  CHECK(served.get(ada, "/api/workbook").status == 200);  // who is in stays in
  CHECK(try_in(signing("bob")).status == 200);            // and others are not held up
  // An address that tries one login after the other: invitations count as well.
  int tries = 0;
  for (Reply reply; tries < 200 && reply.status != 429; ++tries)
    reply = served.ask("GET", "/api/invitations/wrong" + std::to_string(tries));
  CHECK(tries > 50);
  CHECK(tries < 110);
  CHECK(try_in(signing("bob")).status == 429);
}

TEST_CASE("behind a proxy an address is the last one that X-Forwarded-For names, in one line or in two") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassWishes wishes;
  wishes.origin = "https://course.example";
  const ClassServed served(wishes);
  int number = 0;
  const auto try_from = [&](const std::string& forwarded) {
    Wire wire(served.port);
    wire.send("GET /api/invitations/wrong" + std::to_string(++number) + " HTTP/1.1\r\nHost: course.example\r\nConnection: close\r\n" +
              forwarded + "\r\n");
    return wire.reply().status;
  };
  const auto line = [](const std::string& address) { return "X-Forwarded-For: " + address + "\r\n"; };
  // The first line is the client's own word, another one each time; the second one the proxy's.
  int status = 0, tries = 0;
  for (; tries < 200 && status != 429; ++tries) status = try_from(line("203.0.113." + std::to_string(tries)) + line("192.0.2.7"));
  CHECK(status == 429);
  CHECK(tries > 50);
  CHECK(try_from(line("192.0.2.7")) == 429);
  CHECK(try_from(line("192.0.2.8, 192.0.2.7")) == 429);
  // Whoever only says so is not that address.
  CHECK(try_from(line("192.0.2.7") + line("192.0.2.8")) == 404);
  CHECK(try_from(line("192.0.2.7, 192.0.2.8")) == 404);
}

TEST_CASE("too many requests of one person are told to wait, and nobody else is") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassWishes wishes;
  wishes.limits.requests_per_second = 5;
  const ClassServed served(wishes);
  const SignedIn ada = served.join("ada", "Ada"), bob = served.join("bob", "Bob");
  Reply last;
  int well = 0;
  for (int i = 0; i < 60 && last.status != 429; ++i) {
    last = served.get(ada, "/api/session");
    well += last.status == 200 ? 1 : 0;
  }
  CHECK(last.status == 429);
  CHECK(well >= 15);
  CHECK(error_code(last) == "too-many-requests");
  CHECK(last.json()["error"]["message"].get<std::string>().find("5 requests a second") != std::string::npos);
  CHECK(last.header("retry-after") == "1");
  CHECK(served.get(bob, "/api/session").status == 200);
  std::this_thread::sleep_for(1100ms);
  CHECK(served.get(ada, "/api/session").status == 200);
}

TEST_CASE("from the terminal a class is served as its file says, and its first instructor comes in by a link") {
  WARPBOOK_NEEDS_POSTGRES();
  const cli::Home home("class-command");
  const std::string database = PostgresServer::shared().fresh_database();
  home.write("class.json", nlohmann::json({{"name", "C"}, {"database", database}, {"work", "w"}, {"origin", "https://c.example"}}).dump());
  const cli::Said invited = home.judge({"serve", "--class", "class.json", "--invite", "eve", "Eve Example"});
  INFO(invited.out << invited.err);
  CHECK(invited.status == cli::kAccepted);
  CHECK(invited.out.find("https://c.example/invitations/") == 0);
  CHECK(home.judge({"serve", "--class", "class.json", "--invite", "eve"}).status == cli::kUsage);
  CHECK(home.judge({"serve", "--class", "class.json", "--invite", "e ve", "Eve"}).status == cli::kUsage);
  for (const auto& [login, name, fault] :
       std::vector<std::array<std::string, 3>>{{"e\u200bve", "Eve", "the login holds a character that cannot be seen"},
                                               {"e\u0301ve", "Eve", "the login holds U+0301, expected letters a to z, digits"},
                                               {"e\xffve", "Eve", "the login is not UTF-8 text"},
                                               {"eva", "\u200b\u2060", "the name holds nothing that can be seen"},
                                               {"eva", "Eva\x1b[31m", "the name holds a control character"},
                                               {"eva", "E\xffva", "the name is not UTF-8 text"}}) {
    const cli::Said refused = home.judge({"serve", "--class", "class.json", "--invite", login, name});
    INFO(refused.err);
    CHECK(refused.status == cli::kUsage);
    CHECK(refused.err.find(fault) != std::string::npos);
    CHECK(refused.out.empty());
  }
  CHECK(home.judge({"serve", "--class", "class.json", "--port", "1"}).err.find("--port is given beside --class") != std::string::npos);
  CHECK(home.judge({"serve", "--invite", "eve", "Eve"}).err.find("--class FILE is missing") != std::string::npos);
  home.write("bad.json", "{\"name\": \"C\",\n \"databse\": \"d\"}");
  const cli::Said bad = home.judge({"serve", "--class", "bad.json"});
  CHECK(bad.status == cli::kUsage);
  CHECK(bad.err.find("bad.json") != std::string::npos);
  home.write("no-database.json", "{\"name\": \"C\", \"database\": \"host=/nowhere dbname=x password=sesame\", \"work\": \"w\"}");
  const cli::Said none = home.judge({"serve", "--class", "no-database.json"});
  CHECK(none.status == cli::kCouldNot);
  CHECK(none.err.find("sesame") == std::string::npos);
}

TEST_CASE("a class whose secret or further cases no run could use is refused before it is served, and says where the fault is") {
  WARPBOOK_NEEDS_POSTGRES();
  const cli::Home home("class-files");
  const nlohmann::json rest = {{"name", "C"}, {"database", PostgresServer::shared().fresh_database()}, {"work", "w"}, {"port", 0}};
  const auto refused = [&](const std::string& name, const std::string& value) {
    nlohmann::json config = rest;
    config[name] = value;
    home.write("class.json", config.dump());
    const cli::Said said = home.judge({"serve", "--class", "class.json"});
    CHECK(said.status == cli::kCouldNot);
    CHECK(said.out.empty());
    return said.err;
  };
  const auto holds = [](const std::string& said, const std::string& part) {
    INFO(said);
    CHECK(said.find(part) != std::string::npos);
  };
  home.write("seed", "short\n");
  holds(refused("seed_file", "seed"), "seed: error: 'seed_file': the secret has 5 bytes, expected at least 16");
  home.write("further/05-layernrom/cases.xml", "<cases/>");
  holds(refused("overlay", "further"), "further/05-layernrom: error: 'overlay': the folder is no task's, expected one of 01-warp-reduce");
  std::filesystem::create_directories(home.at("empty/05-layernorm"));
  holds(refused("overlay", "empty"), "empty/05-layernorm: error: 'overlay': the folder has no cases.xml");
  home.write("bad/05-layernorm/cases.xml", "<cases>\n<normal name=\"a\" rows=\"1\" colls=\"2\" about=\"x\"/></cases>");
  holds(refused("overlay", "bad"), "bad/05-layernorm/cases.xml:2:");
  home.write("open/05-layernorm/cases.xml", "<cases>");
  holds(refused("overlay", "open"), "open/05-layernorm/cases.xml:1:");
}
