// A disk that is full: a message, status 3, nothing half-written, and the progress that was there is there afterwards.
//
// A small file system of its own is mounted over work/ in a mount namespace that ends with the command. Where that is not allowed (a
// container without the right to mount), a limit on the size of files stands in: then the same writes fail, one by one.
#include <unistd.h>

#include "judge/store/sqlite_store.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/leftovers.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::cli;

namespace {

/// What lies in work/ is copied to the small disk, `judge` runs there, and what is there afterwards becomes after/.
constexpr const char* kOnSmallDisk = R"sh(
  mkdir before after && cp -a work/. before/ || exit 98
  mount -t tmpfs -o size=1m tmpfs work && cp -a before/. work/ || exit 99
  head -c 2m /dev/zero > work/filler 2> /dev/null  # as much as there is room
  [ "$ROOM" = 0 ] || truncate -s "-$ROOM" work/filler
  "$@"; status=$?
  rm -f work/filler; cp -a work/. after/
  exit $status
)sh";

constexpr const char* kWithSmallFiles = R"sh(
  trap '' XFSZ
  (ulimit -f "$((ROOM / 512))"; exec "$@"); status=$?
  mkdir after; cp -a work/. after/
  exit $status
)sh";

/// Words that put a command into a mount namespace of its own; empty when that is not allowed.
Words namespace_words() {
  for (const Words& words : {Words{"unshare", "--mount"}, Words{"unshare", "--user", "--map-root-user", "--mount"}}) {
    run::Command probe;
    probe.argv = words;
    probe.argv.insert(probe.argv.end(), {"mount", "-t", "tmpfs", "tmpfs", "/mnt"});
    const Result<run::Outcome> outcome = run::run(probe);
    if (outcome && outcome->ok()) return words;
  }
  return {};
}

/// How the compilation says that there was no room; with limited files its tools are ended by a signal, each in its own words.
std::string no_room_to_compile() {
  return namespace_words().empty() ? "JE judge error" : "the disk is full: nothing can be compiled until there is room";
}

/// `judge ARGUMENTS` with `room` bytes left on the disk of work/.
Said on_full_disk(const Home& home, const Words& arguments, int room) {
  run::Command command = home.command(arguments);
  Words words = namespace_words();
  const char* script = words.empty() ? kWithSmallFiles : kOnSmallDisk;
  words.insert(words.end(), {"sh", "-c", script, "sh"});
  command.argv.insert(command.argv.begin(), words.begin(), words.end());
  command.set_environment["ROOM"] = std::to_string(room);
  return finish(command);
}

void leave_progress(const Home& home) {
  REQUIRE(home.judge({"hint", "05"}).status == kAccepted);
  REQUIRE(home.judge({"hint", "05"}).status == kAccepted);
}

void check_progress_kept(const Home& home) {
  const auto store = store::open_store(home.at("after/progress.sqlite"));
  REQUIRE(store);
  CHECK((*store)->hint_level("05-layernorm", "variance").value() == 2);
}

}  // namespace

TEST_CASE("run on a full disk says so, answers 3 and keeps the progress") {
  const Home home("home", Home::Cache::kOwn);
  leave_progress(home);
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kRightVariance));
  const Said said = on_full_disk(home, {"run", "05"}, 0);
  CHECK(said.status == kCouldNot);
  CHECK(contains(said.out, "JE judge error"));
  CHECK(contains(said.out, no_room_to_compile()));
  check_progress_kept(home);
  CHECK(home.read("after/05-layernorm/exercise.cu") == layernorm_with(kRightVariance));
  CHECK(leftover_files(home).empty());
  CHECK(leftover_processes(home).empty());
}

TEST_CASE("run on a disk that fills up while compiling says so") {
  const Home home("home", Home::Cache::kOwn);
  leave_progress(home);
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kRightVariance));
  constexpr int kRoom = 200'000;
  const Said said = on_full_disk(home, {"run", "05"}, kRoom);
  CHECK(said.status == kCouldNot);
  CHECK(contains(said.out, "JE judge error"));
  CHECK(contains(said.out, no_room_to_compile()));
  check_progress_kept(home);
}

TEST_CASE("start on a full disk leaves no half of an exercise") {
  const Home home("home", Home::Cache::kOwn);
  leave_progress(home);
  const Said said = on_full_disk(home, {"start", "05"}, 0);
  CHECK(said.status == kCouldNot);
  CHECK(contains(said.err, "exercise.cu"));
  CHECK_FALSE(home.exists("after/05-layernorm/exercise.cu"));
  check_progress_kept(home);
  CHECK(leftover_files(home).empty());
}

TEST_CASE("hint on a full disk shows nothing that it cannot record") {
  const Home home("home", Home::Cache::kOwn);
  leave_progress(home);
  const Said said = on_full_disk(home, {"hint", "05"}, 0);
  CHECK(said.status == kCouldNot);
  CHECK(said.out.empty());
  CHECK(contains(said.err, "progress.sqlite"));
  check_progress_kept(home);
}
