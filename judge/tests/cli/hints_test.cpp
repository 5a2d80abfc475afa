// Hints are chosen by the latest failure on record.
#include "judge/store/sqlite_store.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::cli;

namespace {

/// Lesson 05 with two hints for failures, whatever the lesson itself has of them.
void with_tagged_hints(const Home& home) {
  const auto lesson = home.own_lesson("05-layernorm");
  std::string manifest = home.read(lesson / "lesson.xml");
  for (std::size_t at = manifest.find("tags=\""); at != std::string::npos; at = manifest.find("tags=\"", at)) {
    const std::size_t open = manifest.rfind("<hint", at), close = manifest.find("</hint>", at) + 7;
    manifest.erase(open, close - open);
    at = open;
  }
  const std::string blank = "<blank name=\"variance\">\n";
  manifest =
      replaced(manifest, blank,
               blank + "<hint level=\"1\" tags=\"clamp\">FOR CLAMP</hint>\n<hint level=\"2\" tags=\"eps, not-finite\">FOR EPS</hint>\n" +
                   "<hint level=\"1\" tags=\"blank-empty\">BEGIN</hint>\n");
  home.write(lesson / "lesson.xml", manifest);
}

}  // namespace

TEST_CASE("a hint fits the latest failure, is counted and recorded") {
  const Home home;
  with_tagged_hints(home);
  const auto hint = [&] { return home.judge({"hint", "05"}).out; };
  grade_whole_layernorm(home, layernorm_with("  const float scale = rsqrtf(mean_square - mean * mean + eps);\n"));  // no clamp
  const std::string first = hint();
  CHECK(contains(first, "FOR CLAMP"));
  CHECK(contains(first, "hint 1 of 4, for what your latest attempt showed"));
  CHECK(contains(hint(), "FOR EPS"));  // not-finite
  const std::string third = hint();
  CHECK(contains(third, "hint 3 of 4"));
  CHECK_FALSE(contains(third, "for what your latest attempt showed"));

  const auto store = store::open_store(home.at("work/progress.sqlite"));
  REQUIRE(store);
  const auto shown = (*store)->hints_shown("05-layernorm", "variance");
  REQUIRE(shown->size() == 3);
  CHECK(shown->at(0).tags == "clamp");
  CHECK(shown->at(2).level == 3);
  CHECK(shown->at(2).tags.empty());

  // Another failure, another hint, although its level was seen.
  grade_whole_layernorm(home, repository_text("lessons/05-layernorm/exercise.cu"));
  CHECK(contains(hint(), "BEGIN"));
  CHECK(contains(hint(), "hint 4 of 4"));
}

TEST_CASE("an accepted attempt chooses no hint by its failures") {
  const Home home;
  with_tagged_hints(home);
  grade_whole_layernorm(home, layernorm_with("  const float scale = rsqrtf(mean_square - mean * mean + eps);\n"));
  grade_whole_layernorm(home, layernorm_with(kRightVariance));
  const std::string first = home.judge({"hint", "05"}).out;
  CHECK(contains(first, "hint 1 of 4"));
  CHECK_FALSE(contains(first, "FOR CLAMP"));
}
