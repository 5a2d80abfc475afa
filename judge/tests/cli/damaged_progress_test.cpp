// Progress that cannot be read or written never stops the judging: the verdict comes, a warning says that it is not recorded, and the
// file stays as it is, so that whoever owns it can look at it.
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::cli;
namespace fs = std::filesystem;

namespace {

const std::string kStore = "work/progress.sqlite";

void check_judged_with_warning(const Home& home, const std::string& why) {
  const std::string before = home.read(kStore);
  const Graded graded = grade_whole_layernorm(home, layernorm_with(kRightVariance));
  CHECK(graded.said.status == kAccepted);
  CHECK(graded.verdict() == "AC");
  CHECK(contains(graded.said.err, "warning: this attempt is not recorded: "));
  CHECK(contains(graded.said.err, why));
  CHECK(home.read(kStore) == before);
}

}  // namespace

TEST_CASE("progress that is no database") {
  const Home home;
  home.write(kStore, std::string(5000, 'x'));
  check_judged_with_warning(home, "is damaged or not a progress file");
  const Said list = home.judge({"list"});
  CHECK(list.status == kAccepted);
  CHECK(contains(list.err, "warning: progress is not known"));
  const Said hint = home.judge({"hint", "05"});  // what was shown could not be recorded, so it is not shown
  CHECK(hint.status == kCouldNot);
  CHECK(contains(hint.err, "Move it away"));
}

TEST_CASE("progress that was cut short") {
  const Home home;
  REQUIRE(home.judge({"hint", "05"}).status == kAccepted);
  const std::string whole = home.read(kStore);
  home.write(kStore, whole.substr(0, whole.size() / 2));
  check_judged_with_warning(home, "is damaged or not a progress file");
}

TEST_CASE("progress that is a folder") {
  const Home home;
  fs::create_directory(home.at(kStore));
  const Graded graded = grade_whole_layernorm(home, layernorm_with(kRightVariance));
  CHECK(graded.said.status == kAccepted);
  CHECK(contains(graded.said.err, "warning: this attempt is not recorded: "));
}

TEST_CASE("a work folder that cannot be written") {
  const Home home;
  home.write("mine.cu", layernorm_with(kRightVariance));
  fs::permissions(home.at("work"), fs::perms::owner_read | fs::perms::owner_exec);
  const Said judged = finish(without_privileges(home.command({"run", "05", "mine.cu"})));
  CHECK(judged.status == kAccepted);
  CHECK(contains(judged.err, "warning: this attempt is not recorded: "));
  CHECK(contains(judged.err, "progress needs a folder that can be written"));

  const Said start = finish(without_privileges(home.command({"start", "05"})));
  CHECK(start.status == kCouldNot);
  CHECK(contains(start.err, "work/05-layernorm/exercise.cu"));
  CHECK(contains(start.err, "Permission denied"));
  const Said doctor = finish(without_privileges(home.command({"doctor"})));
  CHECK(doctor.status == kCouldNot);
  CHECK(contains(doctor.out, "MISS work folder"));
}

TEST_CASE("a cache that cannot be written is a judge error that says so") {
  const Home home("home", Home::Cache::kOwn);
  home.write("mine.cu", layernorm_with(kRightVariance));
  fs::permissions(home.at("work"), fs::perms::owner_read | fs::perms::owner_exec);
  const Said said = finish(without_privileges(home.command({"run", "05", "mine.cu"})));
  CHECK(said.status == kCouldNot);
  CHECK(contains(said.out, "work/.cache"));
  CHECK(contains(said.out, "Permission denied"));
  CHECK(contains(said.out, "JE judge error"));
}
