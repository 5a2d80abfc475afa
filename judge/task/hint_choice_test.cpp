#include "judge/task/hint_choice.hpp"

#include "judge/task/task_fixture.hpp"

using namespace warpbook;
using namespace warpbook::task;

namespace {

/// The example's blank: general hints at levels 1 to 4, tagged ones "clamp" at 1 and "one-spike, not-finite" at 2.
Blank example_blank() { return example_task().blanks.at(0); }

/// What is shown, call after call, while the failure stays the same: "1", "1 clamp", ...
std::string shown(const Blank& blank, HintState state, int calls) {
  std::string out;
  for (int call = 0; call < calls; ++call) {
    const ChosenHint hint = next_hint(blank, state);
    out += fmt::format("{}{}{}", out.empty() ? "" : " ", hint.level, hint.tags.empty() ? "" : "[" + hint.tags + "]");
    state.seen.push_back({hint.level, hint.tags});
  }
  return out;
}

}  // namespace

TEST_CASE("without a failure the general hints come level by level, and the last stays") {
  CHECK(shown(example_blank(), {}, 6) == "1 2 3 4 4 4");
}

TEST_CASE("a failure chooses the hint that names its tag") {
  CHECK(shown(example_blank(), {{"clamp", "not-finite", "WA"}, {}}, 5) == "1[clamp] 2[one-spike, not-finite] 3 4 4");
  const Blank blank = example_blank();
  const ChosenHint hint = next_hint(blank, {{"clamp"}, {}});
  CHECK(hint.fits);
  CHECK(hint.fresh);
  CHECK(hint.text->in("en").find("A row of equal numbers came out as NaN") == 0);
}

TEST_CASE("the level shown first fits the failure seen") {
  CHECK(shown(example_blank(), {{"one-spike", "value"}, {}}, 3) == "2[one-spike, not-finite] 3 4");
  CHECK(shown(example_blank(), {{"padded-rows", "out-of-bounds"}, {}}, 2) == "1 2");
}

TEST_CASE("the tag of a case says more than a reason") {
  Blank blank = example_blank();
  blank.tagged.push_back({1, {"not-finite"}, Text{{{"en", "reason"}}}});
  CHECK(shown(blank, {{"clamp", "not-finite"}, {}}, 1) == "1[clamp]");
  CHECK(shown(blank, {{"in-place", "not-finite"}, {}}, 1) == "1[not-finite]");
}

TEST_CASE("a new failure brings its hint although its level was seen") {
  HintState state{{"clamp"}, {{1, ""}, {2, ""}, {3, ""}}};
  const ChosenHint hint = next_hint(example_blank(), state);
  CHECK(hint.level == 1);
  CHECK(hint.tags == "clamp");
  state.seen.push_back({1, "clamp"});
  CHECK(next_hint(example_blank(), state).level == 4);
}

TEST_CASE("tags of hints are refused when no failure can have them") {
  const auto complaint = [](const std::string& from, const std::string& to) {
    const auto task = read_example(example_with(from, to));
    REQUIRE_FALSE(task);
    CHECK(task.error().where.line > 0);
    return task.error().what;
  };
  CHECK(complaint("tags=\"clamp\"", "tags=\"clmap\"").find("'clmap' is neither a tag of a case nor a reason or verdict, expected one of") ==
        0);
  CHECK(complaint("tags=\"clamp\"", "tags=\"clmap\"").find("did you mean 'clamp'?") != std::string::npos);
  CHECK(complaint("tags=\"clamp\"", "tags=\"clamp, clamp\"") == "tag 'clamp' stands twice");
  CHECK(complaint("tags=\"clamp\"", "tags=\"clamp,\"").find("'' is neither") == 0);
  CHECK(complaint("tags=\"clamp\"", "tags=\"\"").find("is empty") != std::string::npos);
  CHECK(complaint("<hint level=\"2\" tags=\"one-spike, not-finite\">", "<hint level=\"1\" tags=\"one-spike, clamp\">") ==
        "two hints of level 1 name the tag 'clamp', expected one");
  CHECK(complaint("<hint level=\"2\">", "<hint level=\"2\" tags=\"WA\">") ==
        "a hint of level 2 is missing, expected 4 levels without tags");
}

TEST_CASE("a translated hint for a failure belongs to its English") {
  const auto task = read_example(
      example_with("<hint level=\"2\">", "<hint level=\"1\" tags=\"clamp\" xml:lang=\"zh\">哪个函数？</hint><hint level=\"2\">"));
  REQUIRE(task);
  REQUIRE(task->blanks[0].tagged.size() == 2);
  CHECK(task->blanks[0].tagged[0].text.in("zh") == "哪个函数？");
  CHECK(joined_tags(task->blanks[0].tagged[1]) == "one-spike, not-finite");
}
