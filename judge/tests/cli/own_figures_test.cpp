// Questions that show the learner's own figures, and what judge answer remembers.
#include "judge/store/sqlite_store.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::cli;

namespace {

void with_a_figure(const Home& home) {
  const auto lesson = home.own_lesson("05-layernorm");
  const std::string question = "<question id=\"what-the-clamp-does\" kind=\"choice\" points=\"2\">";
  std::string manifest = home.read(lesson / "lesson.xml");
  manifest.insert(manifest.find("<prompt>", manifest.find(question)) + 8, "Figure {measured:negative-variance: passes x read}. ");
  home.write(lesson / "lesson.xml", manifest);
}

std::string sheet(const Home& home) { return home.read("work/05-layernorm/answers.md"); }

}  // namespace

TEST_CASE("a question shows the figure of the learner's latest run, and asks for the run until then") {
  const Home home;
  with_a_figure(home);
  REQUIRE(home.judge({"start", "05"}).status == kAccepted);
  CHECK(contains(sheet(home), "Figure (run it first: judge run 05-layernorm)."));
  home.write("work/05-layernorm/answers.md", sheet(home) + "\n");
  std::string answered = sheet(home);
  const std::size_t at = answered.find("> Answer: one letter.\n", answered.find("## what-the-clamp-does"));
  answered.insert(answered.find('\n', at) + 1, "\na\n");
  home.write("work/05-layernorm/answers.md", answered);
  CHECK(contains(home.judge({"answer", "05", "--check"}).out, "No run on record measured"));

  grade_whole_layernorm(home, layernorm_with(kRightVariance));
  CHECK(contains(sheet(home), "Figure 2.00."));
  CHECK(contains(sheet(home), "\na\n"));
  CHECK_FALSE(contains(home.judge({"answer", "05", "--check"}).out, "No run on record measured"));
}

TEST_CASE("the reference answers take the figures of the solution's own run") {
  const Home home;
  with_a_figure(home);
  CHECK(contains(home.judge({"run", "05", "--solution", "--quiet"}).out, "points 10 of 10"));
  const Said verified = home.judge({"verify", "05", "--write-matrix"});
  CHECK(contains(verified.out, "0 failed"));
}

TEST_CASE("answers are remembered with what they earned and which misconception they show") {
  const Home home;
  REQUIRE(home.judge({"start", "05"}).status == kAccepted);
  grade_whole_layernorm(home, layernorm_with(kRightVariance));  // the lesson's question may show a figure of it
  std::string answered = sheet(home);
  const std::string belief = ") They are the same as before, only slower.";
  const char letter = answered.at(answered.find(belief) - 1);
  const std::size_t at = answered.find("> Answer: one letter.\n", answered.find("## what-the-clamp-does"));
  answered.insert(answered.find('\n', at) + 1, std::string("\n") + letter + "\n");
  home.write("work/05-layernorm/answers.md", answered);
  const Said said = home.judge({"answer", "05", "--check"});
  CHECK(contains(said.out, "The clamp is one instruction a row and thread"));
  REQUIRE(home.judge({"answer", "05", "--check"}).status == kAccepted);
  const auto store = store::open_store(home.at("work/progress.sqlite"));
  REQUIRE(store);
  const auto answers = (*store)->answers("05-layernorm");
  REQUIRE(answers->size() == 1);
  CHECK(answers->front().points == 0);
  CHECK(contains(answers->front().misconception, "one instruction a row"));
}

TEST_CASE("two learners are asked variants of their own") {
  const Home one, other;
  for (const Home* home : {&one, &other}) REQUIRE(home->judge({"start", "05"}).status == kAccepted);
  const auto variant = [](const Home& home) {
    const std::string text = sheet(home);
    return text.substr(text.find("<!-- variant "), 40);
  };
  CHECK(variant(one) != variant(other));
}
