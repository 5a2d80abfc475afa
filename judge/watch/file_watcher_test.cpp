#include "judge/watch/file_watcher.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <thread>

#include "judge/base/files.hpp"
#include "judge/tests/temporary_folder.hpp"

using namespace warpbook;
using namespace warpbook::watch;
namespace fs = std::filesystem;
using std::chrono::milliseconds;

namespace {

struct Folder : TemporaryFolder {
  Folder() : TemporaryFolder("watch") {}
  fs::path file() const { return *this / "exercise.cu"; }
};

/// How many saves are told of until nothing happens for a while.
int saves(FileWatcher& watcher, milliseconds quiet = milliseconds(500)) {
  int count = 0;
  auto end = std::chrono::steady_clock::now() + quiet;
  while (std::chrono::steady_clock::now() < end) {
    pollfd ready{watcher.descriptor(), POLLIN, 0};
    ::poll(&ready, 1, static_cast<int>(std::min(watcher.patience(), milliseconds(50)).count()));
    if (!watcher.saved()) continue;
    ++count;
    end = std::chrono::steady_clock::now() + quiet;
  }
  return count;
}

void append(int descriptor, const std::string& text) {
  REQUIRE(::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

/// Both ways of watching must say the same.
template <class Scenario>
void in_both_ways(const Scenario& scenario) {
  for (const auto way : {FileWatcher::Way::kNotify, FileWatcher::Way::kPolling}) {
    const Folder folder;
    REQUIRE(write_file(folder.file(), "first\n"));
    FileWatcher watcher(folder.file(), way);
    INFO((way == FileWatcher::Way::kNotify ? "inotify" : "polling"));
    CHECK(watcher.way() == way);
    CHECK(saves(watcher, milliseconds(250)) == 0);
    scenario(folder, watcher);
  }
}

}  // namespace

TEST_CASE("a save by writing over the file is told once") {
  in_both_ways([](const Folder& folder, FileWatcher& watcher) {
    const int file = ::open(folder.file().c_str(), O_WRONLY | O_TRUNC);
    append(file, "second\n");
    ::close(file);
    CHECK(saves(watcher) == 1);
  });
}

TEST_CASE("a save by truncating, pausing and writing is told once, with the whole content") {
  in_both_ways([](const Folder& folder, FileWatcher& watcher) {
    std::thread editor([&] {
      const int file = ::open(folder.file().c_str(), O_WRONLY | O_TRUNC);
      std::this_thread::sleep_for(milliseconds(200));
      append(file, "second\n");
      ::close(file);
    });
    CHECK(saves(watcher, milliseconds(700)) == 1);
    editor.join();
  });
}

TEST_CASE("a save by renaming another file into place is told once, again and again") {
  in_both_ways([](const Folder& folder, FileWatcher& watcher) {
    for (const char* text : {"second\n", "third\n", "fourth\n"}) {
      REQUIRE(write_file(folder / ".exercise.cu.swp", text));
      fs::rename(folder / ".exercise.cu.swp", folder.file());
      CHECK(saves(watcher) == 1);
    }
  });
}

TEST_CASE("a save that first moves the old file away is told once") {
  in_both_ways([](const Folder& folder, FileWatcher& watcher) {
    std::thread editor([&] {
      fs::rename(folder.file(), folder / "exercise.cu~");
      std::this_thread::sleep_for(milliseconds(150));
      (void)write_file(folder.file(), "second\n");
      fs::remove(folder / "exercise.cu~");
    });
    CHECK(saves(watcher, milliseconds(700)) == 1);
    editor.join();
  });
}

TEST_CASE("saving the same content, another file, or only the time changes nothing") {
  in_both_ways([](const Folder& folder, FileWatcher& watcher) {
    REQUIRE(write_file(folder.file(), "first\n"));
    REQUIRE(write_file(folder / "other.cu", "x\n"));
    CHECK(saves(watcher) == 0);
  });
}

TEST_CASE("a file that is made only later is told of") {
  const Folder folder;
  FileWatcher watcher(folder.file(), FileWatcher::Way::kNotify);
  CHECK(saves(watcher, milliseconds(200)) == 0);
  REQUIRE(write_file(folder.file(), "now\n"));
  CHECK(saves(watcher) == 1);
}

TEST_CASE("a file that is written in pieces is told of when it is closed") {
  const Folder folder;
  REQUIRE(write_file(folder.file(), "first\n"));
  FileWatcher watcher(folder.file(), FileWatcher::Way::kNotify);
  std::thread editor([&] {
    const int file = ::open(folder.file().c_str(), O_WRONLY | O_TRUNC);
    for (int piece = 0; piece < 4; ++piece) {
      append(file, "piece\n");
      std::this_thread::sleep_for(milliseconds(120));
    }
    ::close(file);
  });
  CHECK(saves(watcher, milliseconds(900)) == 1);
  editor.join();
}

TEST_CASE("a folder that cannot be watched is polled") {
  FileWatcher watcher("/nowhere/at/all.cu", FileWatcher::Way::kNotify);
  CHECK(watcher.way() == FileWatcher::Way::kPolling);
  CHECK_FALSE(watcher.saved());
}
