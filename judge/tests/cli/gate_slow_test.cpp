// `judge verify`: the author's gate says yes to a whole lesson and no, with the reason, to one that lacks something.
#include <regex>

#include "judge/tests/catch.hpp"
#include "judge/tests/cli/home.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::cli;
namespace fs = std::filesystem;

namespace {

/// "N passed, M failed", the last line; the command's status must agree with it.
std::pair<int, int> counts(const Said& said) {
  std::smatch found;
  REQUIRE(std::regex_search(said.out, found, std::regex(R"(\n(\d+) passed, (\d+) failed\n$)")));
  const std::pair<int, int> both{std::stoi(found[1]), std::stoi(found[2])};
  CHECK(said.status == (both.second == 0 ? kAccepted : kNotAccepted));
  return both;
}

}  // namespace

TEST_CASE("verify accepts lesson 05 and prints its kill matrix") {
  const Home home;
  const Said said = home.judge({"verify", "05"});
  const auto [passed, failed] = counts(said);
  CHECK(passed > 25);
  CHECK(failed == 0);
  CHECK(std::regex_search(said.out, std::regex(R"(wrong/no-clamp\.cu .*WA)")));
}

TEST_CASE("verify refuses a lesson whose wrong submissions are too few, pass, or fail elsewhere than declared") {
  const Home home;
  const fs::path lesson = home.own_lesson("05-layernorm");
  fs::remove_all(lesson / "wrong");
  fs::remove_all(lesson / "correct");
  const std::string header = "// verdict: WA\n// reason: value\n// cases: zeros\n// mistake: none at all\n";
  home.write("lessons/05-layernorm/wrong/passes.cu", header + layernorm_with(kRightVariance));
  const Said said = home.judge({"verify", "05"});
  const auto [passed, failed] = counts(said);
  CHECK(failed >= 4);
  CHECK(contains(said.out, "FAIL wrong submissions: at least 5"));
  CHECK(contains(said.out, "FAIL correct submissions: at least 2"));
  CHECK(contains(said.out, "FAIL wrong/passes.cu fails as declared"));
  CHECK(contains(said.out, "FAIL case zeros kills a wrong submission"));

  const Said some = home.judge({"verify", "05", "--case", "zeros"});
  counts(some);
  CHECK(contains(some.out, "    1 zeros\n"));  // the columns of the matrix are the cases that ran
  CHECK_FALSE(contains(some.out, "    2 "));
}

TEST_CASE("the right mistake is named in files from another hand") {
  const Home home;
  const std::string files = (fs::path(WARPBOOK_SOURCE_DIR) / "judge/tests/submissions/diagnosis-3").string();
  const Said said = home.judge({"verify", "05", "--diagnosis", files});
  CHECK(said.status == kAccepted);
  CHECK(contains(said.out, "4 right, 0 wrong, 0 unnamed of 4"));
}
