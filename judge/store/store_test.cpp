#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

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

TEST_CASE("an attempt is on record from its beginning and ends once") {
  Folder folder;
  auto store = opened(folder.file());
  const auto id = store->begin_attempt(kAttempt);
  REQUIRE(id);
  auto begun = store->attempts("05-layernorm", 10);
  REQUIRE(begun->size() == 1);
  CHECK_FALSE(begun->front().finished_ms);
  CHECK(begun->front().begun.seed == 0xFFFFFFFFFFFFFFFF);

  REQUIRE(store->finish_attempt(*id, {"WA", 5.5, false, true, R"({"verdict":"WA"})", {{"x read", 2.0, "passes"}, {"time", 31.5, "us"}}}));
  const auto again = store->finish_attempt(*id, {"AC", 10, true, true, "{}", {}});
  REQUIRE_FALSE(again);
  CHECK(again.error().what == fmt::format("attempt {} is finished already or was never begun", *id));
  CHECK_FALSE(store->finish_attempt(*id + 1, {}));

  store = opened(folder.file());
  const auto ended = store->attempts("05-layernorm", 10);
  REQUIRE(ended->size() == 1);
  CHECK(ended->front().finished_ms);
  CHECK(ended->front().outcome.verdict == "WA");
  CHECK(ended->front().outcome.points == 5.5);
  CHECK(ended->front().outcome.result_json == R"({"verdict":"WA"})");
  const auto measured = store->measurements("05-layernorm", 10);
  REQUIRE(measured->size() == 2);
  CHECK(measured->at(0).name == "x read");
  CHECK(measured->at(1).value == 31.5);
  CHECK(store->measurements("02-block-reduce", 10)->empty());
}

TEST_CASE("one attempt is found by its number") {
  Folder folder;
  auto store = opened(folder.file());
  const auto first = store->begin_attempt(kAttempt), second = store->begin_attempt(kAttempt);
  REQUIRE(store->finish_attempt(*first, {"WA", 3, false, false, "{\"first\": 1}", {}}));
  const auto found = store->attempt(*first);
  REQUIRE(found);
  REQUIRE(*found);
  CHECK((*found)->id == *first);
  CHECK((*found)->outcome.result_json == "{\"first\": 1}");
  CHECK_FALSE((*store->attempt(*second))->finished_ms);
  CHECK_FALSE(*store->attempt(*second + 1));
}

TEST_CASE("progress keeps the best of all attempts, hints and the opened solution") {
  Folder folder;
  auto store = opened(folder.file());
  CHECK(store->progress("05-layernorm")->attempts == 0);
  CHECK(store->progress("05-layernorm")->task == "05-layernorm");
  for (const double points : {3.0, 9.0, 6.0}) {
    const auto id = store->begin_attempt(kAttempt);
    REQUIRE(store->finish_attempt(*id, {points > 8 ? "AC" : "WA", points, points > 8, false, "{}", {}}));
  }
  REQUIRE(store->begin_attempt(kAttempt));
  REQUIRE(store->record_hint({"05-layernorm", "variance", 3, ""}));
  REQUIRE(store->record_hint({"05-layernorm", "variance", 2, "clamp"}));
  REQUIRE(store->record_hint({"06-safe-softmax", "exponent", 1, ""}));
  REQUIRE(store->record_solution_opened("06-safe-softmax"));
  REQUIRE(store->record_solution_opened("06-safe-softmax"));
  CHECK(*store->hint_level("05-layernorm", "variance") == 3);
  CHECK(*store->hint_level("05-layernorm", "other") == 0);
  const auto all = store->all_progress();
  REQUIRE(all->size() == 2);
  CHECK(all->at(0).attempts == 4);
  CHECK(all->at(0).best_points == 9);
  CHECK(all->at(0).passed);
  CHECK_FALSE(all->at(0).medal);
  CHECK(all->at(0).hint_level == 3);
  CHECK_FALSE(all->at(0).solution_opened);
  CHECK(all->at(1).solution_opened);
  CHECK(all->at(1).attempts == 0);
  CHECK(store->progress("06-safe-softmax")->hint_level == 1);
}

TEST_CASE("which hints were shown is remembered, each once") {
  Folder folder;
  auto store = opened(folder.file());
  for (const ShownHint& hint : {ShownHint{"05", "a", 1, ""}, ShownHint{"05", "a", 1, "clamp"}, ShownHint{"05", "a", 1, ""},
                                ShownHint{"05", "b", 4, ""}, ShownHint{"06", "a", 2, "x"}})
    REQUIRE(store->record_hint(hint));
  const auto shown = store->hints_shown("05", "a");
  REQUIRE(shown->size() == 2);
  CHECK(shown->at(0).tags.empty());
  CHECK(shown->at(1).tags == "clamp");
  CHECK(*store->hint_level("05", "a") == 1);
  CHECK(store->progress("05")->hint_level == 4);
}

TEST_CASE("answers are remembered when they change") {
  Folder folder;
  auto store = opened(folder.file());
  REQUIRE(store->record_answers({{"05", "q", "a", 0, 2, "a belief"}, {"05", "r", "4", 2, 2, ""}}));
  REQUIRE(store->record_answers({{"05", "q", "a", 0, 2, "a belief"}, {"05", "r", "4", 2, 2, ""}}));
  REQUIRE(store->record_answers({{"05", "q", "b", 2, 2, ""}}));
  REQUIRE(store->record_answers({{"05", "q", "a", 0, 2, "a belief"}}));
  const auto answers = store->answers("05");
  REQUIRE(answers->size() == 4);
  CHECK(answers->at(0).misconception == "a belief");
  CHECK(answers->at(2).answer == "b");
  CHECK(answers->at(3).answer == "a");
  CHECK(store->answers("06")->empty());
}

TEST_CASE("a file of the first version keeps its hints") {
  Folder folder;
  REQUIRE(make_attempts(folder.file(), 1) == 0);
  {
    // Back to the tables that version 1 had.
    auto database = Database::open(folder.file());
    REQUIRE(database);
    for (const char* sql : {"DROP TABLE shown_hints", "DROP TABLE answers",
                            "CREATE TABLE hints (task TEXT NOT NULL, blank TEXT NOT NULL, level INTEGER NOT NULL, "
                            "PRIMARY KEY (task, blank)) STRICT",
                            "INSERT INTO hints VALUES ('05-layernorm', 'variance', 3)", "PRAGMA user_version = 1"})
      REQUIRE((*database)->execute(sql));
  }
  auto store = opened(folder.file());
  CHECK(*store->hint_level("05-layernorm", "variance") == 3);
  CHECK(store->progress("05-layernorm")->attempts == 1);
  REQUIRE(store->record_hint({"05-layernorm", "variance", 1, "clamp"}));
  CHECK(store->hints_shown("05-layernorm", "variance")->size() == 2);
}

TEST_CASE("the learner's seed is chosen once") {
  Folder folder;
  const std::uint64_t seed = *opened(folder.file())->learner_seed();
  CHECK(*opened(folder.file())->learner_seed() == seed);
  Folder other;
  CHECK(*opened(other.path / "other.sqlite")->learner_seed() != seed);
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

TEST_CASE("threads may share one store") {
  Folder folder;
  auto store = opened(folder.file());
  constexpr int kThreads = 4, kAttempts = 10;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < kAttempts; ++k) {
        const auto id = store->begin_attempt(kAttempt);
        if (id) (void)store->finish_attempt(*id, {"AC", 10, true, true, "{}", {}});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(store->progress("05-layernorm")->attempts == kThreads * kAttempts);
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
