// Submissions that are no source text: status 2, one clear message that names the file, and quickly.
#include <sys/stat.h>

#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::cli;
namespace fs = std::filesystem;

namespace {

constexpr double kQuick = 10;  // seconds, on a busy machine; a file of 100 MB that was read or compiled would take longer

void check_refused(const Said& said, const std::string& file, const std::string& why) {
  CHECK(said.status == kUsage);
  CHECK(said.out.empty());
  CHECK(contains(said.err, file + ":"));
  CHECK(contains(said.err, why));
  CHECK(count_lines(said.err) <= 3);
  CHECK(said.seconds < kQuick);
}

}  // namespace

TEST_CASE("a source of 100 MB is refused by its size") {
  const Home home;
  constexpr std::uintmax_t kSize = 100u << 20;
  fs::resize_file(home.write("huge.cu", "// a\n"), kSize);  // sparse: takes no room
  check_refused(home.judge({"run", "05", "huge.cu"}), "huge.cu", "is 104857600 bytes long, at most 1048576 are read");
}

TEST_CASE("binary garbage is refused with the place where it stops being text") {
  const Home home;
  std::string garbage = "__global__ void f() {}\n// \xC3\xA4 is fine\nint x;";
  garbage += std::string("\x7F\x45\x4C\x46\x00\xFF\xFE", 7);
  home.write("garbage.cu", garbage);
  check_refused(home.judge({"run", "05", "garbage.cu"}), "garbage.cu:3:11", "is not UTF-8 text");
  home.write("latin.cu", "// \xE4\n");
  check_refused(home.judge({"run", "05", "latin.cu"}), "latin.cu:1:4", "is not UTF-8 text");
}

TEST_CASE("what is no file is refused") {
  const Home home;
  fs::create_directory(home.at("folder.cu"));
  check_refused(home.judge({"run", "05", "folder.cu"}), "folder.cu", "is a directory, expected a file");
  check_refused(home.judge({"run", "05", "nowhere.cu"}), "nowhere.cu", "No such file");
  check_refused(home.judge({"run", "05", "/dev/zero"}), "/dev/zero", "is not a regular file");
  REQUIRE(::mkfifo(home.at("pipe.cu").c_str(), 0600) == 0);
  check_refused(home.judge({"run", "05", "pipe.cu"}), "pipe.cu", "is not a regular file");  // and does not wait for a writer
  fs::create_symlink("loop.cu", home.at("loop.cu"));
  check_refused(home.judge({"run", "05", "loop.cu"}), "loop.cu", "cannot be opened");
}

TEST_CASE("an empty file is refused") {
  const Home home;
  home.write("empty.cu", "");
  check_refused(home.judge({"run", "05", "empty.cu"}), "empty.cu", "is empty");
}

TEST_CASE("a file without permission is refused") {
  const Home home;
  fs::permissions(home.write("secret.cu", layernorm_with(kRightVariance)), fs::perms::none);
  check_refused(finish(without_privileges(home.command({"run", "05", "secret.cu"}))), "secret.cu", "Permission denied");
}

TEST_CASE("the learner's own file is refused the same way") {
  const Home home;
  fs::create_directories(home.at("work/05-layernorm/exercise.cu"));
  check_refused(home.judge({"run", "05"}), "exercise.cu", "is a directory");
}
