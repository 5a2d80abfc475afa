#include "judge/grade/input_literal.hpp"

#include <cmath>
#include <limits>

#include "judge/tests/catch.hpp"

using namespace warpbook;
using grade::input_text;
using grade::parse_input;

namespace {

task::Task layernorm_task() {
  task::Task task;
  task.id = "05-layernorm";
  task.operator_name = "layernorm";
  return task;
}

std::string complaint(const std::string& line) {
  const auto parsed = parse_input(layernorm_task(), line);
  REQUIRE_FALSE(parsed);
  return parsed.error().text();
}

/// What is printed is read again as the same case.
std::string there_and_back(const std::string& line) {
  const auto parsed = parse_input(layernorm_task(), line);
  INFO(line);
  REQUIRE(parsed);
  return input_text(layernorm_task(), *parsed);
}

}  // namespace

TEST_CASE("an input by hand says its shape and its values") {
  const auto c = parse_input(layernorm_task(), "x=[5793, 5794; 1, 2] gamma=1 beta=[0*2] eps=1e-3");
  REQUIRE(c);
  CHECK(c->rows == 2);
  CHECK(c->cols == 2);
  CHECK(c->fills.at("x").values == std::vector<double>{5793, 5794, 1, 2});
  CHECK(c->fills.at("beta").values == std::vector<double>{0, 0});
  CHECK(c->fills.at("gamma").kind == inputs::FillKind::kConstant);
  CHECK(c->fills.at("gamma").value == 1);
  CHECK(c->scalars.at("eps") == 1e-3);
}

TEST_CASE("counts, special values, layouts and rules of an input by hand") {
  const auto c = parse_input(layernorm_task(),
                             "x=[-inf*3, nan, 0x1.8p1, -0] x.stride=8 x.offset=1 y.alias=x gamma=absent check=finite:1e3 bound=two-moment");
  REQUIRE(c);
  CHECK(c->cols == 6);
  CHECK(c->fills.at("x").values[2] == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(c->fills.at("x").values[3]));
  CHECK(c->fills.at("x").values[4] == 3);
  CHECK(std::signbit(c->fills.at("x").values[5]));
  CHECK(c->layouts.at("x").row_stride == 8);
  CHECK(c->layouts.at("x").base_offset == 1);
  CHECK(c->layouts.at("y").alias == "x");
  CHECK(c->layouts.at("gamma").absent);
  CHECK(c->check == task::CheckKind::kFinite);
  CHECK(c->magnitude == 1000);
  CHECK(c->bound == "two-moment");
}

TEST_CASE("an input is printed as it is read") {
  for (const std::string line :
       {"x=[0.37, 2*3] gamma=1 beta=0", "x=[(1, 2*3)*64; 0*4] gamma=1", "x=[(0)*3] beta=0", "x=[1*2; 0, 1] gamma=absent beta=[3, 4]",
        "rows=3 cols=5 x=2 x.stride=8 gamma=1 beta=0 eps=1e-05", "x=[-inf, nan] y.alias=x check=finite:1000"})
    CHECK(there_and_back(line) == line);
  // A value that is no float keeps all its digits.
  CHECK(there_and_back("x=[0.1] eps=0.1") == "x=[0.1] eps=0.1");
}

TEST_CASE("what is wrong with an input by hand is said with its place") {
  CHECK(complaint("x=[1, 2").starts_with("--input:1:3: error: this bracket is not closed\n"));
  CHECK(complaint("x=[(1, 2)*64; 3]").find("row 64 has 1 elements when the first has 2") != std::string::npos);
  CHECK(complaint("x=[(1, 2]").find("this parenthesis is not closed") != std::string::npos);
  CHECK(complaint("x=[(1, 2) 3]").find("'3' behind a row in parentheses, expected a count") != std::string::npos);
  CHECK(complaint("x=[(1)*99999999]").find("more than 16777216 elements") != std::string::npos);
  CHECK(complaint("x=[1, two]").find("'two' is not a number") != std::string::npos);
  CHECK(complaint("x=[1, 2; 3]").find("row 1 has 1 elements when the first has 2") != std::string::npos);
  CHECK(complaint("x=[1, 2] gamma=[1]").find("gamma is 1 x 1 when it should be 1 x 2") != std::string::npos);
  CHECK(complaint("x=[1] w=2").find("layernorm has no 'w'; it has x, gamma, beta") != std::string::npos);
  CHECK(complaint("y=[1]").find("y is an output") != std::string::npos);
  CHECK(complaint("x=absent").find("cannot be absent") != std::string::npos);
  CHECK(complaint("gamma=1").find("give a matrix, as in x=[1, 2, 3]") != std::string::npos);
  CHECK(complaint("x=[1] x.pitch=3").find("'pitch' is not one of stride, offset, alias") != std::string::npos);
  CHECK(complaint("x=[1] bound=tight").find("expected one of two-pass, two-moment") != std::string::npos);
  CHECK(complaint("x=[1] x_stride=8").find("has no 'x_stride'") == std::string::npos);
  CHECK(complaint("x=[0*99999999]").find("more than 16777216 elements") != std::string::npos);
  CHECK(complaint("").find("do not follow") != std::string::npos);
}
