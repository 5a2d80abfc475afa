// The command contract: what each command says and answers when all is well. Scripts rely on it.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "judge/store/sqlite_store.hpp"
#include "judge/task/answers.hpp"
#include "judge/task/task_folder.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::cli;
using nlohmann::json;

namespace {

/// A filled sheet of lesson 05 for some variant.
std::string right_answers(const Home& home) {
  constexpr std::uint64_t kVariant = 7;
  const Result<task::Task> lesson = task::find_task(home.folder(), "05");
  REQUIRE(lesson);
  return task::write_answers(*lesson, task::reference_answers(*lesson, kVariant), {kVariant, "en", {}});
}

}  // namespace

TEST_CASE("run --solution of lesson 05 earns 10 of 10") {
  const Home home;
  const Graded graded = grade(home, {"05", "--solution"});
  CHECK(graded.said.status == kAccepted);
  CHECK(graded.said.err.empty());
  CHECK(contains(graded.said.out, "points 10 of 10"));
  CHECK(contains(graded.said.out, "14 of 14 cases - passed"));
  CHECK_FALSE(contains(graded.said.out, "\x1b["));  // a pipe gets no colour
  CHECK(graded.result["passed"] == true);
  CHECK(graded.result["score"]["total"] == 10.0);
  CHECK(graded.result["medal"] == "gold");
  CHECK_FALSE(home.exists("work/progress.sqlite"));  // the reference is nobody's attempt
}

TEST_CASE("run --quiet says one line") {
  const Home home;
  const Said said = home.judge({"run", "06", "--solution", "--quiet"});
  CHECK(said.status == kAccepted);
  CHECK(std::regex_match(said.out, std::regex("AC 06-safe-softmax: points 10 of 10 .*\n")));
  CHECK(said.err.empty());
}

TEST_CASE("list shows every task, and judge alone does the same") {
  const Home home;
  const Said said = home.judge({"list"});
  CHECK(said.status == kAccepted);
  for (const char* id : {"02-block-reduce", "05-layernorm", "06-safe-softmax", "row-softmax"}) CHECK(contains(said.out, id));
  CHECK(contains(said.out, "-> 01-warp-reduce"));
  CHECK(home.judge({}).out == said.out);
  CHECK_FALSE(home.exists("work/progress.sqlite"));  // looking changes nothing
}

TEST_CASE("list --json tells progress to programs") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kRightVariance));
  home.write("work/05-layernorm/answers.md", right_answers(home));
  REQUIRE(home.judge({"run", "05"}).status == kAccepted);
  const Said said = home.judge({"list", "--json"});
  CHECK(said.status == kAccepted);
  const json all = json::parse(said.out);
  CHECK(all["next"] == "01-warp-reduce");
  REQUIRE(all["tasks"].size() >= 4);
  for (const json& task : all["tasks"]) {
    const bool tried = task["id"] == "05-layernorm";
    CHECK(task["attempts"] == (tried ? 1 : 0));
    CHECK(task["passed"] == tried);
    CHECK(task["points"] == (tried ? 10.0 : 0.0));
  }
}

TEST_CASE("show renders the text") {
  const Home home;
  const Said said = home.judge({"show", "05"});
  CHECK(said.status == kAccepted);
  CHECK(contains(said.out, "LayerNorm: mean, variance and what cancels"));
  CHECK(contains(said.out, "const float mean_square = sums.x_square / cols;"));  // a region of the exercise
  CHECK_FALSE(contains(said.out, "{{code"));
  CHECK_FALSE(contains(said.out, "```"));
  CHECK(contains(said.out, "judge start 05-layernorm"));

  run::Command chinese = home.command({"show", "05"});
  chinese.set_environment["WARPBOOK_LANG"] = "zh";
  CHECK(contains(finish(chinese).out, "均值"));
}

TEST_CASE("start copies the exercise once and never over the learner's file") {
  const Home home;
  const Said first = home.judge({"start", "05"});
  CHECK(first.status == kAccepted);
  CHECK(home.read("work/05-layernorm/exercise.cu") == repository_text("lessons/05-layernorm/exercise.cu"));
  CHECK(contains(home.read("work/05-layernorm/answers.md"), "## variance-of-a-row"));

  home.write("work/05-layernorm/exercise.cu", "mine\n");
  home.write("work/05-layernorm/answers.md", "mine too\n");
  const Said second = home.judge({"start", "layernorm"});
  CHECK(second.status == kAccepted);
  CHECK(contains(second.out, "is there already and stays as it is"));
  CHECK(home.read("work/05-layernorm/exercise.cu") == "mine\n");
  CHECK(home.read("work/05-layernorm/answers.md") == "mine too\n");

  CHECK(home.judge({"start", "row-softmax"}).status == kAccepted);
  CHECK(home.read("work/row-softmax/kernel.cu") == repository_text("exercises/row-softmax/starter.cu"));
}

TEST_CASE("hints come one by one, the fourth stays, and it opens the solution") {
  const Home home;
  const Said closed = home.judge({"solution", "05"});
  CHECK(closed.status == kNotAccepted);
  CHECK(closed.out.empty());
  CHECK(contains(closed.err, "you have seen 0"));

  std::string before;
  for (int level = 1; level <= 4; ++level) {
    const Said hint = home.judge({"hint", "05"});
    CHECK(hint.status == kAccepted);
    CHECK(contains(hint.out, "hint " + std::to_string(level) + " of 4"));
    CHECK(hint.out != before);
    before = hint.out;
    CHECK(home.judge({"solution", "05"}).status == (level == 4 ? kAccepted : kNotAccepted));
  }
  CHECK(contains(before, "fmaxf(mean_square - mean * mean, 0.0f)"));
  CHECK(home.judge({"hint", "05"}).out == before);
  CHECK(home.judge({"solution", "05"}).out == repository_text("lessons/05-layernorm/solution.cu"));

  const json all = json::parse(home.judge({"list", "--json"}).out);
  const auto lesson = std::find_if(all["tasks"].begin(), all["tasks"].end(), [](const json& task) { return task["id"] == "05-layernorm"; });
  REQUIRE(lesson != all["tasks"].end());
  CHECK((*lesson)["hint_level"] == 4);
  CHECK((*lesson)["solution_opened"] == true);
}

TEST_CASE("a pass opens the solution") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kRightVariance));
  CHECK(home.judge({"run", "05", "--strict"}).status == kNotAccepted);  // accepted code alone has 3 points
  CHECK(home.judge({"solution", "05"}).status == kNotAccepted);
  home.write("work/05-layernorm/answers.md", right_answers(home));
  CHECK(home.judge({"run", "05", "--strict"}).status == kAccepted);
  CHECK(home.judge({"solution", "05"}).status == kAccepted);
}

TEST_CASE("answer --check grades the sheet, and run counts it") {
  const Home home;
  const Said empty = home.judge({"answer", "05", "--check"});
  CHECK(empty.status == kAccepted);
  CHECK(contains(empty.out, "0 of 7 points"));
  CHECK(home.exists("work/05-layernorm/answers.md"));

  // One question speaks of the learner's own figure, so a run comes first.
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kRightVariance));
  CHECK(home.judge({"run", "05"}).status == kAccepted);
  home.write("work/05-layernorm/answers.md", right_answers(home));
  const Said full = home.judge({"answer", "05", "--check"});
  CHECK(full.status == kAccepted);
  CHECK(contains(full.out, "7 of 7 points"));

  const Graded graded = grade_layernorm(home, layernorm_with(kRightVariance));
  CHECK(graded.said.status == kAccepted);
  CHECK(graded.result["score"]["questions"] == 6.0);
  CHECK(graded.result["score"]["explanation"] == 1.0);
}

TEST_CASE("a damaged answer sheet is refused with its line") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kRightVariance));
  home.write("work/05-layernorm/answers.md", "# LayerNorm\n\n## no-such-question\n\n42\n");
  for (const Words& words : {Words{"answer", "05", "--check"}, Words{"run", "05"}}) {
    const Said said = home.judge(words);
    CHECK(said.status == kUsage);
    CHECK(contains(said.err, "work/05-layernorm/answers.md:3"));
    CHECK(contains(said.err, "no-such-question"));
  }
}

TEST_CASE("doctor says that this machine can judge") {
  const Home home;
  const Said said = home.judge({"doctor"});
  CHECK(said.status == kAccepted);
  CHECK(contains(said.out, "nvcc "));
  CHECK(contains(said.out, "This machine can judge."));
  CHECK_FALSE(contains(said.out, "MISS"));
}

TEST_CASE("attempts are recorded with their verdict and result") {
  const Home home;
  grade_whole_layernorm(home, layernorm_with(kRightVariance));
  grade_whole_layernorm(home, layernorm_with("  const float scale = mean_square + 0.5f;\n"));
  grade_layernorm(home, layernorm_with(kRightVariance));  // some cases only: says nothing of the whole, and is not recorded
  const auto store = store::open_store(home.at("work/progress.sqlite"));
  REQUIRE(store);
  const auto attempts = (*store)->attempts("05-layernorm", 10);
  REQUIRE(attempts);
  REQUIRE(attempts->size() == 2);
  CHECK(attempts->at(1).outcome.verdict == "AC");
  CHECK(attempts->at(0).outcome.verdict == "WA");
  CHECK(json::parse(attempts->at(0).outcome.result_json)["task"] == "05-layernorm");
  CHECK(attempts->at(0).begun.source_hash != attempts->at(1).begun.source_hash);
}
