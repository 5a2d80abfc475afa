#pragma once
// A PostgreSQL server of a test program's own: in a temporary folder, reached by a socket there and by nothing else, without a password,
// gone when the program ends, however it ends. Debian's programs are used as they are installed; the server itself refuses to run as
// root, so that root starts it as `nobody`. Tests that need it begin with WARPBOOK_NEEDS_POSTGRES: where it is not installed, they say so.
#include <libpq-fe.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "judge/run/process.hpp"
#include "judge/tests/temporary_folder.hpp"

namespace warpbook {

/// The folder with initdb and postgres, of the newest version installed; empty: none. WARPBOOK_POSTGRES names another.
inline std::filesystem::path postgres_programs() {
  namespace fs = std::filesystem;
  if (const char* named = std::getenv("WARPBOOK_POSTGRES"); named != nullptr) return named;
  std::error_code ignored;
  std::vector<fs::path> found;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", ignored))
    if (fs::exists(version.path() / "bin" / "postgres", ignored)) found.push_back(version.path() / "bin");
  return found.empty() ? fs::path() : *std::max_element(found.begin(), found.end());
}

class PostgresServer {
 public:
  /// The one of this program, started when it is asked for first.
  static PostgresServer& shared() {
    static PostgresServer server;
    return server;
  }

  PostgresServer() {
    if (::geteuid() == 0) REQUIRE(::chown(folder_.path().c_str(), kNobody, kNobody) == 0);
    // initdb takes a second of processor, a copy of what it made a tenth: the first program keeps one beside the tests, those after it
    // copy.
    std::string name = "postgres" + programs_.string();
    std::replace(name.begin(), name.end(), '/', '-');
    const std::filesystem::path kept = std::filesystem::path(WARPBOOK_BINARY_DIR) / name;
    if (std::filesystem::exists(kept) && copied(kept, data())) {
      start();
      return;
    }
    const auto made = run::run(as_user({(programs_ / "initdb").string(), "-D", data(), "-U", "warpbook", "-A", "trust", "-E", "UTF8",
                                        "--locale=C", "--no-sync", "--no-instructions"}));
    REQUIRE(made);
    INFO(made->out + made->err);
    REQUIRE(made->ok());
    // Several programs may come here at once: it appears whole, and whoever is second keeps none.
    const TemporaryFolder apart{"postgres-kept", WARPBOOK_BINARY_DIR};
    std::error_code second;
    if (copied(data(), apart / "data")) std::filesystem::rename(apart / "data", kept, second);
    start();
  }
  ~PostgresServer() {
    if (child_) ::kill(child_->pid(), SIGQUIT);  // nobody reads this database again: no checkpoint
    stop();
  }

  /// Ends at once: transactions that are open are lost, connections closed.
  void stop() {
    if (!child_) return;
    ::kill(child_->pid(), SIGINT);
    child_->wait();
    child_.reset();
  }
  void start() {
    // What it says goes to a file: nobody reads a pipe while the tests run.
    auto started = run::Child::start(
        as_user({"sh", "-c", "exec \"$@\" >>'" + (folder_ / "log").string() + "' 2>&1", "sh", (programs_ / "postgres").string(), "-D",
                 data(), "-k", folder_.path().string(), "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=60"}));
    REQUIRE(started);
    child_ = std::make_unique<run::Child>(std::move(*started));
    constexpr int kTries = 400;
    constexpr std::chrono::milliseconds kPause{25};
    for (int i = 0; i < kTries && PQping(at("postgres").c_str()) != PQPING_OK; ++i) std::this_thread::sleep_for(kPause);
    REQUIRE(PQping(at("postgres").c_str()) == PQPING_OK);
  }
  /// Holds all its processes still, as a machine does that swaps or is cut off; and lets them go on.
  void freeze() { signal_all(SIGSTOP); }
  void thaw() { signal_all(SIGCONT); }

  /// Where a database is, for PostgresPool::open.
  std::string at(const std::string& database) const {
    return "host=" + folder_.path().string() + " user=warpbook dbname=" + database + " connect_timeout=5";
  }
  /// A new, empty database; where it is.
  std::string fresh_database() {
    const std::string name = "test" + std::to_string(++databases_);
    statement("CREATE DATABASE " + name);
    return at(name);
  }
  /// Something done in a database as its administrator.
  void statement(const std::string& sql, const std::string& database = "postgres") const {
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(at(database).c_str()), PQfinish);
    const std::unique_ptr<PGresult, decltype(&PQclear)> done(PQexec(connection.get(), sql.c_str()), PQclear);
    INFO(sql << ": " << PQerrorMessage(connection.get()));
    REQUIRE((PQresultStatus(done.get()) == PGRES_COMMAND_OK || PQresultStatus(done.get()) == PGRES_TUPLES_OK));
  }

 private:
  static constexpr unsigned kNobody = 65534;

  std::string data() const { return (folder_ / "data").string(); }
  /// The server ends with this program; the signal is set behind the change of user, which would clear it.
  static run::Command as_user(std::vector<std::string> argv) {
    std::vector<std::string> words{"setpriv", "--pdeathsig", "QUIT"};
    if (::geteuid() == 0) words.insert(words.end(), {"--reuid=65534", "--regid=65534", "--clear-groups"});
    words.insert(words.end(), argv.begin(), argv.end());
    run::Command command;
    command.argv = std::move(words);
    command.folder = "/";
    return command;
  }
  /// With owners and modes.
  static bool copied(const std::filesystem::path& from, const std::filesystem::path& to) {
    run::Command command;
    command.argv = {"cp", "-a", from.string(), to.string()};
    const auto done = run::run(command);
    return done && done->ok();
  }
  void signal_all(int signal) const {
    if (!child_) return;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const int pid = std::atoi(entry.path().filename().c_str());
      if (pid > 0 && (pid == child_->pid() || parent_of(pid) == child_->pid())) ::kill(pid, signal);
    }
  }
  static int parent_of(int pid) {
    int parent = 0;
    if (std::FILE* file = std::fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "r")) {
      if (std::fscanf(file, "%*d %*[^)]) %*c %d", &parent) != 1) parent = 0;
      std::fclose(file);
    }
    return parent;
  }

  std::filesystem::path programs_ = postgres_programs();
  TemporaryFolder folder_{"postgres"};
  std::unique_ptr<run::Child> child_;
  int databases_ = 0;
};

}  // namespace warpbook

/// First in a test. (Catch2 of version 2 knows no skipping.)
#define WARPBOOK_NEEDS_POSTGRES()                                                                                             \
  do {                                                                                                                        \
    if (warpbook::postgres_programs().empty()) {                                                                              \
      std::puts("skipped: no PostgreSQL server (Debian: apt-get install postgresql; or WARPBOOK_POSTGRES=/path/to/its/bin)"); \
      return;                                                                                                                 \
    }                                                                                                                         \
  } while (false)
