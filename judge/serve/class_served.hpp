#pragma once
// For tests: a running server of a class, with a database of its own, and people in it who are signed in.
#include <regex>

#include "judge/serve/served.hpp"
#include "judge/store/postgres_schema.hpp"
#include "judge/tests/postgres.hpp"

namespace warpbook::serve {

/// Somebody who is signed in: their cookie and their token.
struct SignedIn {
  std::int64_t id = 0;
  std::string cookie, token;
  /// Headers of a request of theirs.
  std::string headers() const { return "Cookie: warpbook_session=" + cookie + "\r\nX-Warpbook-Token: " + token + "\r\n"; }
};

inline constexpr const char* kPassword = "correct horse battery";

/// How a test wants its class.
struct ClassWishes {
  ClassLimits limits{};
  std::string origin{};
  std::string seed{}, overlay{};  ///< relative to the folder of the workbook
  Patience patience{};
  int jobs = 1;
  ThreadLimits threads{};
};

class ClassServed : public Client {
 public:
  explicit ClassServed(ClassWishes wishes = {}) : wishes_(std::move(wishes)) {
    database_ = PostgresServer::shared().fresh_database();
    // A test asks for more than a person does.
    if (wishes_.limits.requests_per_second == ClassLimits{}.requests_per_second) wishes_.limits.requests_per_second = 1000;
    if (wishes_.limits.runs_per_minute == ClassLimits{}.runs_per_minute) wishes_.limits.runs_per_minute = 1000;
    start();
  }
  ~ClassServed() { stop(); }
  ClassServed(const ClassServed&) = delete;
  ClassServed& operator=(const ClassServed&) = delete;

  void start() {
    ClassConfig config;
    config.name = "GPU kernels 2027";
    config.database = database_;
    config.port = 0;
    config.origin = wishes_.origin;
    config.work = home.at("class-work");
    if (!wishes_.seed.empty()) config.seed_file = home.at(wishes_.seed);
    if (!wishes_.overlay.empty()) config.overlay = home.at(wishes_.overlay);
    config.jobs = wishes_.jobs;
    config.limits = wishes_.limits;
    Result<std::unique_ptr<ClassDesk>> opened = ClassDesk::open(config);
    INFO((opened ? "" : opened.error().text()));
    REQUIRE(opened);
    WebOptions options;
    options.workbook.root = home.folder();
    options.workbook.program_folder = std::filesystem::path(WARPBOOK_BINARY_DIR) / "bin";
    options.pages = home.at("no-pages");
    options.threads = wishes_.threads;
    options.patience = wishes_.patience;
    desk = opened->get();
    options.desk = std::move(*opened);
    server = std::make_unique<WebServer>(std::move(options));
    const Result<int> bound = server->bind();
    REQUIRE(bound);
    port = *bound;
    thread_ = std::thread([this] { server->run(); });
  }
  /// For the next start.
  void wish_secrets(const std::string& seed, const std::string& overlay) {
    wishes_.seed = seed;
    wishes_.overlay = overlay;
  }
  void stop() {
    if (!server) return;
    server->stop();
    thread_.join();
    server.reset();
  }

  Reply get(const SignedIn& who, const std::string& path) const { return ask("GET", path, {}, who.headers()); }
  Reply send(const SignedIn& who, const std::string& method, const std::string& path, const nlohmann::json& body) const {
    return ask(method, path, body.dump(), who.headers());
  }
  Reply remove(const SignedIn& who, const std::string& path) const { return ask("DELETE", path, {}, who.headers()); }
  std::unique_ptr<Wire> follow(const SignedIn& who, const std::string& path, const std::string& headers = {}) const {
    return Client::follow(path, who.headers() + headers);
  }

  /// Invites somebody; the token of their link.
  std::string invite(const std::string& login, const std::string& name, bool instructor = false) const {
    const auto invited =
        desk->people.invite({{login, name, instructor ? classroom::Role::kInstructor : classroom::Role::kLearner, true}}, kInvitationValid);
    REQUIRE(invited);
    REQUIRE(invited->size() == 1);
    return invited->front().token;
  }
  /// Somebody who came in by an invitation.
  SignedIn join(const std::string& login, const std::string& name, bool instructor = false) const {
    return signed_in(ask("POST", "/api/invitations/" + invite(login, name, instructor), nlohmann::json({{"password", kPassword}}).dump()));
  }
  SignedIn sign_in(const std::string& login) const {
    return signed_in(ask("POST", "/api/session", nlohmann::json({{"login", login}, {"password", kPassword}}).dump()));
  }
  static SignedIn signed_in(const Reply& reply) {
    INFO(reply.body);
    REQUIRE(reply.status == 200);
    const std::string cookie = reply.header("set-cookie");
    const std::size_t begin = cookie.find('=') + 1;
    const nlohmann::json session = reply.json();
    return {session["person"]["id"], cookie.substr(begin, cookie.find(';') - begin), session["token"]};
  }

  cli::Home home{"class"};
  ClassDesk* desk = nullptr;  ///< the server's
  std::unique_ptr<WebServer> server;

 private:
  ClassWishes wishes_;
  std::string database_;
  std::thread thread_;
};

inline std::string error_code(const Reply& reply) { return reply.json()["error"]["code"]; }

}  // namespace warpbook::serve
