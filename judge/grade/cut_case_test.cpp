#include "judge/grade/cut_case.hpp"

#include "judge/grade/input_literal.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;

namespace {

task::Task task_of(const std::string& name, std::vector<std::string> parameters) {
  task::Task task;
  task.operator_name = name;
  task.parameters = std::move(parameters);
  return task;
}

const task::Task kLayernorm = task_of("layernorm", {"x", "gamma", "beta", "y", "rows", "cols", "eps"});

task::Case given(const task::Task& task, const std::string& line) {
  const auto c = grade::parse_input(task, line);
  REQUIRE(c);
  return *c;
}

}  // namespace

TEST_CASE("a window takes what follows rows and columns with it") {
  const task::Case whole = given(kLayernorm, "x=[1, 2, 3; 4, 5, 6; 7, 8, 9] gamma=[10, 20, 30] beta=[0, 1, 2]");
  const operators::Operator& op = *operators::find_operator("layernorm");
  const auto part = grade::cut_case(op, whole, 1, 2, 1, 2);
  REQUIRE(part);
  CHECK(part->rows == 2);
  CHECK(part->cols == 2);
  CHECK(part->fills.at("x").values == std::vector<double>{5, 6, 8, 9});
  CHECK(part->fills.at("gamma").values == std::vector<double>{20, 30});
  CHECK_FALSE(grade::cut_case(op, whole, 2, 2, 0, 1));
  CHECK_FALSE(grade::cut_case(op, whole, 0, 1, 0, 0));
}

TEST_CASE("the mirror image turns rows, weights and column indices round") {
  const operators::Operator& op = *operators::find_operator("layernorm");
  const auto image = grade::mirror_case(op, given(kLayernorm, "x=[1, 2, 3; 4, 5, 6] gamma=[10, 20, 30] beta=[0, 1, 2]"));
  REQUIRE(image);
  CHECK(image->fills.at("x").values == std::vector<double>{3, 2, 1, 6, 5, 4});
  CHECK(image->fills.at("gamma").values == std::vector<double>{30, 20, 10});

  const operators::Operator& loss = *operators::find_operator("cross_entropy");
  task::Case labelled;
  labelled.rows = 2;
  labelled.cols = 4;
  labelled.fills["logits"].values = {1, 2, 3, 4, 5, 6, 7, 8};
  labelled.fills["targets"].values = {0, -100};  // -100: a label to be ignored, no column
  const auto turned = grade::mirror_case(loss, labelled);
  REQUIRE(turned);
  CHECK(turned->fills.at("targets").values == std::vector<double>{3, -100});
}

TEST_CASE("a count is lowered in every row of the case") {
  const operators::Operator& op = *operators::find_operator("attention_row");
  task::Case c;
  c.rows = 2;
  c.cols = 1;
  c.scalars["keys"] = 3;
  c.fills["q"].values = {1, 2};
  c.fills["k"].values = {1, 2, 3, 4, 5, 6};
  c.fills["v"].values = {10, 20, 30, 40, 50, 60};
  const auto less = grade::cut_count(op, c, "keys", 2);
  REQUIRE(less);
  CHECK(less->scalars.at("keys") == 2);
  CHECK(less->fills.at("q").values == std::vector<double>{1, 2});
  CHECK(less->fills.at("k").values == std::vector<double>{1, 2, 4, 5});
  CHECK(less->fills.at("v").values == std::vector<double>{10, 20, 40, 50});
  CHECK_FALSE(grade::cut_count(op, c, "keys", 4));
}
