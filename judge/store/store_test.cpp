#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "judge/base/files.hpp"
#include "judge/store/database.hpp"
#include "judge/store/sqlite_store.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::store;
namespace fs = std::filesystem;

namespace {

/// A fresh folder for each test, with a space and Chinese characters in its name.
struct Folder {
  fs::path path;
  Folder() : path(fs::temp_directory_path() / fmt::format("warpbook 存档 {}", ::getpid())) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  fs::path file() const { return path / "progress.sqlite"; }
};

std::unique_ptr<Store> opened(const fs::path& path) {
  auto store = open_store(path);
  INFO((store ? std::string() : store.error().text()));
  REQUIRE(store);
  return std::move(*store);
}

const NewAttempt kAttempt{"05-layernorm", "abc", 0xFFFFFFFFFFFFFFFF, "vgpu"};

/// Runs `work` in a process of its own; its exit status.
template <class Work>
pid_t in_child(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  return child;
}

int status_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Begins and ends so many attempts; the number of failures.
int make_attempts(const fs::path& file, int count) {
  auto store = open_store(file);
  if (!store) return count;
  int failures = 0;
  for (int i = 0; i < count; ++i) {
    const auto id = (*store)->begin_attempt(kAttempt);
    failures += !id || !(*store)->finish_attempt(*id, {"AC", 8, true, false, "{}", {{"x", 1, "passes"}}});
  }
  return failures;
}

}  // namespace

/// What judges of the first two versions wrote, as they wrote it.
constexpr const char* kTablesOfVersion1 = R"(
  CREATE TABLE attempts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    task TEXT NOT NULL, source_hash TEXT NOT NULL, seed INTEGER NOT NULL, device TEXT NOT NULL,
    started_ms INTEGER NOT NULL, finished_ms INTEGER,
    verdict TEXT, points REAL, passed INTEGER, medal INTEGER, result_json TEXT) STRICT;
  CREATE INDEX attempts_by_task ON attempts (task, id);
  CREATE TABLE measurements (
    id INTEGER PRIMARY KEY, attempt INTEGER NOT NULL REFERENCES attempts (id),
    name TEXT NOT NULL, value REAL, unit TEXT NOT NULL) STRICT;
  CREATE INDEX measurements_by_attempt ON measurements (attempt);
  CREATE TABLE opened_solutions (task TEXT PRIMARY KEY, opened_ms INTEGER NOT NULL) STRICT;
  CREATE TABLE settings (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  INSERT INTO attempts VALUES (7, '05-layernorm', 'abc', -1, 'vgpu', 1000, 2000, 'AC', 9.5, 1, 1, '{"verdict":"AC"}');
  INSERT INTO attempts (id, task, source_hash, seed, device, started_ms) VALUES (8, '05-layernorm', 'abc', 5, 'vgpu', 3000);
  INSERT INTO measurements VALUES (1, 7, 'x read', 2.0, 'passes'), (2, 7, 'no number', NULL, '');
  INSERT INTO opened_solutions VALUES ('06-safe-softmax', 4000);
  INSERT INTO settings VALUES ('learner_seed', -2);)";
constexpr const char* kHintsOfVersion1 = R"(
  CREATE TABLE hints (task TEXT NOT NULL, blank TEXT NOT NULL, level INTEGER NOT NULL, PRIMARY KEY (task, blank)) STRICT;
  INSERT INTO hints VALUES ('05-layernorm', 'variance', 3);
  PRAGMA user_version = 1; PRAGMA application_id = 0x57425047)";
constexpr const char* kRestOfVersion2 = R"(
  CREATE TABLE shown_hints (
    id INTEGER PRIMARY KEY, task TEXT NOT NULL, blank TEXT NOT NULL, level INTEGER NOT NULL, tags TEXT NOT NULL,
    shown_ms INTEGER, UNIQUE (task, blank, level, tags)) STRICT;
  CREATE TABLE answers (
    id INTEGER PRIMARY KEY, task TEXT NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL, points REAL NOT NULL,
    of REAL NOT NULL, misconception TEXT NOT NULL, answered_ms INTEGER NOT NULL) STRICT;
  CREATE INDEX answers_by_task ON answers (task, id);
  INSERT INTO shown_hints VALUES (1, '05-layernorm', 'variance', 3, '', NULL);
  INSERT INTO answers VALUES (1, '05-layernorm', 'q', 'four', 1.5, 2, 'a belief', 5000);
  PRAGMA user_version = 2; PRAGMA application_id = 0x57425047)";

TEST_CASE("files of earlier versions keep what is in them") {
  Folder folder;
  int version = 0;
  SECTION("1") { version = 1; }
  SECTION("2") { version = 2; }
  {
    auto database = Database::open(folder.file());
    REQUIRE(database);
    REQUIRE((*database)->execute(kTablesOfVersion1));
    REQUIRE((*database)->execute(version == 1 ? kHintsOfVersion1 : kRestOfVersion2));
  }
  for (int times = 0; times < 2; ++times) {
    auto store = opened(folder.file());
    CHECK(*store->hint_level("05-layernorm", "variance") == 3);
    const auto attempts = store->attempts("05-layernorm", 10);
    REQUIRE(attempts->size() == 2);
    CHECK_FALSE(attempts->at(0).finished_ms);
    CHECK(attempts->at(1).id == 7);
    CHECK(attempts->at(1).begun.seed == 0xFFFFFFFFFFFFFFFF);
    CHECK(attempts->at(1).outcome.points == 9.5);
    CHECK(attempts->at(1).outcome.medal);
    CHECK_FALSE(attempts->at(1).outcome.provisional);
    CHECK(attempts->at(1).outcome.result_json == R"({"verdict":"AC"})");
    CHECK_FALSE(*store->source("abc"));
    CHECK(store->measurements("05-layernorm", 10)->size() == 2);
    CHECK(store->progress("06-safe-softmax")->solution_opened);
    CHECK(*store->learner_seed() == 0xFFFFFFFFFFFFFFFE);
    CHECK(store->answers("05-layernorm")->size() == (version == 2 ? 1 : 0));
  }
  auto store = opened(folder.file());
  REQUIRE(store->record_hint({"05-layernorm", "variance", 1, "clamp"}));
  CHECK(store->hints_shown("05-layernorm", "variance")->size() == 2);
  REQUIRE(store->begin_attempt({"05-layernorm", "abc", 1, "vgpu", "text"}));
  CHECK(**store->source("abc") == "text");
}

TEST_CASE("processes that start at once on a file that does not exist lose nothing") {
  Folder folder;
  constexpr int kProcesses = 4, kAttempts = 10;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) children.push_back(in_child([&] { return make_attempts(folder.file(), kAttempts); }));
  for (const pid_t child : children) CHECK(status_of(child) == 0);
  const auto progress = opened(folder.file())->progress("05-layernorm");
  CHECK(progress->attempts == kProcesses * kAttempts);
  const auto attempts = opened(folder.file())->attempts("05-layernorm", 1000);
  CHECK(std::all_of(attempts->begin(), attempts->end(), [](const Attempt& attempt) { return attempt.finished_ms.has_value(); }));
  CHECK(opened(folder.file())->measurements("05-layernorm", 1000)->size() == kProcesses * kAttempts);
}

TEST_CASE("a file that another process is just making ours is no stranger's") {
  constexpr int kRounds = 25, kProcesses = 4;
  for (int round = 0; round < kRounds; ++round) {
    Folder folder;
    std::vector<pid_t> children;
    for (int i = 0; i < kProcesses; ++i) children.push_back(in_child([&] { return open_store(folder.file()) ? 0 : 1; }));
    for (const pid_t child : children) CHECK(status_of(child) == 0);
  }
}

TEST_CASE("a process that dies in the middle leaves the attempt it began") {
  Folder folder;
  const pid_t child = in_child([&] {
    auto store = open_store(folder.file());
    if (!store || !(*store)->begin_attempt(kAttempt)) return 1;
    ::raise(SIGKILL);
    return 0;
  });
  CHECK(status_of(child) == -1);
  const auto attempts = opened(folder.file())->attempts("05-layernorm", 10);
  REQUIRE(attempts->size() == 1);
  CHECK_FALSE(attempts->front().finished_ms);
}

TEST_CASE("a damaged file is reported with its place and left alone") {
  Folder folder;
  std::string bytes;
  SECTION("no database at all") { bytes = std::string(5000, 'x'); }
  SECTION("overwritten in the middle") {
    REQUIRE(make_attempts(folder.file(), 60) == 0);
    bytes = *read_file(folder.file());
    REQUIRE(bytes.size() > 12'000);
    std::fill(bytes.begin() + 4096, bytes.begin() + 12'000, '\x5a');
  }
  SECTION("cut off") {
    REQUIRE(make_attempts(folder.file(), 60) == 0);
    bytes = read_file(folder.file())->substr(0, 9000);
  }
  fs::remove_all(folder.path);
  REQUIRE(write_file(folder.file(), bytes));
  const auto store = open_store(folder.file());
  REQUIRE_FALSE(store);
  CHECK(store.error().where.file == folder.file().string());
  CHECK(store.error().what.find("is damaged or not a progress file") == 0);
  CHECK(store.error().what.find("mv '") != std::string::npos);
  CHECK(*read_file(folder.file()) == bytes);
}

TEST_CASE("a database of another program or of a newer judge is not touched") {
  Folder folder;
  const char* expected = nullptr;
  {
    auto database = Database::open(folder.file());
    REQUIRE(database);
    SECTION("another program") {
      REQUIRE((*database)->execute("CREATE TABLE songs (title TEXT)"));
      expected = "is a database of another program";
    }
    SECTION("newer") {
      REQUIRE((*database)->execute("PRAGMA user_version = 99"));
      expected = "was written by a newer judge (version 99)";
    }
  }
  const std::string before = *read_file(folder.file());
  const auto store = open_store(folder.file());
  REQUIRE_FALSE(store);
  CHECK(store.error().what.find(expected) == 0);
  CHECK(*read_file(folder.file()) == before);
}

TEST_CASE("an empty file becomes a progress file") {
  Folder folder;
  REQUIRE(write_file(folder.file(), ""));
  CHECK(make_attempts(folder.file(), 1) == 0);
}

TEST_CASE("places that cannot hold a file are errors") {
  Folder folder;
  REQUIRE(write_file(folder.path / "file", "x"));
  fs::create_directories(folder.path / "folder.sqlite");
  for (const fs::path& path :
       {folder.path / "file" / "progress.sqlite", folder.path / "folder.sqlite", fs::path("/proc/progress.sqlite")}) {
    const auto store = open_store(path);
    REQUIRE_FALSE(store);
    CHECK(store.error().what.find("cannot be opened or created") == 0);
    CHECK(store.error().where.file == path.string());
  }
}

TEST_CASE("a file that may not grow is an error and what was recorded stays") {
  Folder folder;
  REQUIRE(make_attempts(folder.file(), 3) == 0);
  const pid_t child = in_child([&] {
    // Writes beyond the limit fail as they do on a full disk, once the signal is ignored.
    ::signal(SIGXFSZ, SIG_IGN);
    const auto size = fs::file_size(folder.file());
    const rlimit limit{size, size};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    auto store = open_store(folder.file());
    if (!store) return 2;
    const auto id = (*store)->begin_attempt(kAttempt);
    if (!id) return 3;
    const auto done = (*store)->finish_attempt(*id, {"AC", 10, true, false, std::string(1 << 20, ' '), {}});
    const std::string what = done ? "" : done.error().what;
    return what.find("cannot be read or written") == 0 || what.find("cannot grow") == 0 ? 0 : 1;
  });
  CHECK(status_of(child) == 0);
  const auto attempts = opened(folder.file())->attempts("05-layernorm", 10);
  CHECK(attempts->size() == 4);
  CHECK_FALSE(attempts->front().finished_ms);
  CHECK(attempts->back().finished_ms);
}
