#include "judge/toolchain/cache.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "judge/base/files.hpp"
#include "judge/tests/catch.hpp"
#include "judge/toolchain/scratch.hpp"

using namespace warpbook;
using namespace warpbook::toolchain;
namespace fs = std::filesystem;

namespace {

/// A cache in a folder whose name is as awkward as a person's may be.
struct Room {
  fs::path folder = fs::temp_directory_path() / ("warpbook cache 缓存 " + std::to_string(::getpid()));
  Cache cache{folder};
  Room() { fs::remove_all(folder); }
  ~Room() { fs::remove_all(folder); }

  Entry publish(const std::string& name, const std::string& text) {
    Result<Scratch> scratch = Scratch::make(folder);
    REQUIRE(scratch);
    REQUIRE(write_file(scratch->folder() / "a.txt", text));
    Result<Entry> entry = cache.publish(name, scratch->folder(), {"a.txt"}, "note");
    REQUIRE(entry);
    return *entry;
  }
  std::size_t entries() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator())); }
};

}  // namespace

TEST_CASE("what was published is found, and nothing else is left") {
  Room room;
  CHECK_FALSE(room.cache.find("x"));
  room.publish("x", "hello");
  const std::optional<Entry> entry = room.cache.find("x");
  REQUIRE(entry);
  CHECK(entry->note == "note");
  CHECK(read_file(entry->folder / "a.txt").value() == "hello");
  CHECK(room.entries() == 1);
}

TEST_CASE("the first of two equal entries stands") {
  Room room;
  room.publish("x", "first");
  const Entry second = room.publish("x", "second");
  CHECK(read_file(second.folder / "a.txt").value() == "first");
  CHECK(room.entries() == 1);
}

TEST_CASE("a damaged entry is not there, and the next publish replaces it") {
  Room room;
  const Entry entry = room.publish("x", "hello");
  SECTION("short file") { fs::resize_file(entry.folder / "a.txt", 3); }
  SECTION("changed file") { REQUIRE(write_file(entry.folder / "a.txt", "hellO")); }
  SECTION("missing file") { fs::remove(entry.folder / "a.txt"); }
  SECTION("short manifest") { fs::resize_file(entry.folder / "manifest.json", 10); }
  SECTION("empty manifest") { fs::resize_file(entry.folder / "manifest.json", 0); }
  SECTION("manifest of another shape") { REQUIRE(write_file(entry.folder / "manifest.json", R"({"files":{"a.txt":3},"note":1})")); }
  CHECK_FALSE(room.cache.find("x"));
  room.publish("x", "again");
  REQUIRE(room.cache.find("x"));
  CHECK(read_file(entry.folder / "a.txt").value() == "again");
  CHECK(room.entries() == 1);
}

TEST_CASE("processes that publish and damage at once never show half an entry") {
  Room room;
  constexpr int kProcesses = 6, kRounds = 40;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t pid = ::fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
      bool good = true;
      for (int i = 0; i < kRounds && good; ++i) {
        const std::string name = "entry" + std::to_string(i % 3);
        Result<Scratch> scratch = Scratch::make(room.folder);
        good = good && scratch && write_file(scratch->folder() / "a.txt", std::string(5000, 'a'));
        if (!good) break;
        const Result<Entry> entry = room.cache.publish(name, scratch->folder(), {"a.txt"}, "");
        // Another process may damage it right after; what must hold is that find() only ever shows whole ones.
        good = static_cast<bool>(entry);
        if (const auto found = room.cache.find(name)) {
          const auto text = read_file(found->folder / "a.txt");
          good = good && (!text || *text == std::string(5000, 'a') || text->size() == 17);
        }
        std::error_code ignored;
        if (p == 0 && i % 5 == 0) fs::resize_file(room.folder / name / "a.txt", 17, ignored);
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    REQUIRE(::waitpid(pid, &status, 0) == pid);
    CHECK(status == 0);
  }
  for (const auto& file : fs::directory_iterator(room.folder)) CHECK(file.path().filename().string().starts_with("entry"));
}

TEST_CASE("a cache that cannot be written is an error with a reason") {
  Room room;
  REQUIRE(write_file(room.folder, "a file"));
  const Result<Scratch> scratch = Scratch::make(room.folder);
  REQUIRE_FALSE(scratch);
  CHECK(scratch.error().what.starts_with("the folder for compiled files cannot be used: "));
}

TEST_CASE("scratch folders go, those of killed processes too") {
  Room room;
  fs::path folder;
  {
    Result<Scratch> scratch = Scratch::make(room.folder);
    REQUIRE(scratch);
    folder = scratch->folder();
    CHECK(fs::is_directory(folder));
  }
  CHECK_FALSE(fs::exists(folder));
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ::waitpid(dead, nullptr, 0);
  const fs::path old = room.folder / ("tmp-" + std::to_string(dead) + "-abc"),
                 recent = room.folder / ("tmp-" + std::to_string(dead) + "-def"),
                 ours = room.folder / ("tmp-" + std::to_string(::getpid()) + "-abc");
  for (const fs::path& path : {old, recent, ours}) fs::create_directories(path);
  for (const fs::path& path : {old, ours}) fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(2));
  { REQUIRE(Scratch::make(room.folder)); }
  CHECK_FALSE(fs::exists(old));
  CHECK(fs::exists(recent));
  CHECK(fs::exists(ours));
}
