#include "judge/grade/shrink.hpp"

#include <algorithm>
#include <cmath>

#include "judge/grade/input_literal.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;

namespace {

task::Task layernorm_task() {
  task::Task task;
  task.id = "05-layernorm";
  task.operator_name = "layernorm";
  task.parameters = {"x", "gamma", "beta", "y", "rows", "cols", "eps"};
  return task;
}

task::Case normal_case(std::int64_t rows, std::int64_t cols) {
  task::Case c;
  c.name = "plain";
  c.rows = rows;
  c.cols = cols;
  return c;
}

/// Shrinks with a predicate on one case at a time; asks as often as it likes within a minute.
std::string shrunk(const task::Case& c, const std::function<bool(const task::Case&)>& fails, std::int64_t row = 0,
                   std::int64_t column = 0) {
  const auto spelled = grade::spell_out(layernorm_task(), c, 1);
  REQUIRE(spelled);
  REQUIRE(fails(*spelled));
  const grade::StillFails ask = [&](const std::vector<task::Case>& candidates) {
    std::vector<bool> out;
    for (const task::Case& each : candidates) out.push_back(fails(each));
    return out;
  };
  grade::ShrinkOptions options;
  options.time_limit = std::chrono::minutes(1);
  options.row = row;
  options.column = column;
  return grade::input_text(layernorm_task(), grade::shrink(layernorm_task(), *spelled, ask, options));
}

const std::vector<double>& x_of(const task::Case& c) { return c.fills.at("x").values; }

}  // namespace

TEST_CASE("a spelled-out case holds the values that the kernel would get") {
  task::Case c = normal_case(2, 3);
  c.fills["x"] = {.kind = inputs::FillKind::kRamp, .value = 0.1, .step = 1};
  const auto spelled = grade::spell_out(layernorm_task(), c, 7);
  REQUIRE(spelled);
  CHECK(x_of(*spelled) == std::vector<double>{0.1f, 1.1f, 2.1f, 0.1f, 1.1f, 2.1f});
  CHECK(spelled->fills.at("gamma").values.size() == 3);
}

TEST_CASE("a failure of every input becomes one zero") {
  CHECK(shrunk(normal_case(16, 1024), [](const task::Case&) { return true; }) == "x=[0] gamma=1 beta=0");
}

TEST_CASE("a failure that needs 33 columns keeps 33") {
  CHECK(shrunk(normal_case(4, 257), [](const task::Case& c) { return c.cols >= 33; }) == "x=[0*33] gamma=1 beta=0");
}

TEST_CASE("a failure of what no longer fits keeps the first length that does not") {
  CHECK(shrunk(normal_case(1, 16384), [](const task::Case& c) { return c.cols >= 12289; }) == "x=[0*12289] gamma=1 beta=0");
}

TEST_CASE("a failure that needs two rows keeps two") {
  CHECK(shrunk(normal_case(9, 8), [](const task::Case& c) { return c.rows >= 2; }) == "x=[0; 0] gamma=1 beta=0");
}

TEST_CASE("many rows of one value are said as a shape and the value") {
  CHECK(shrunk(normal_case(300, 8), [](const task::Case& c) { return c.rows >= 257; }) == "rows=300 cols=1 x=0 gamma=1 beta=0");
}

TEST_CASE("a large value stays, and what lies around it goes") {
  task::Case c = normal_case(7, 257);
  c.fills["x"] = {.kind = inputs::FillKind::kNormal, .pokes = {{.at = inputs::PokeAt::kLast, .value = 300}}};
  const auto has_large = [](const task::Case& each) {
    return std::any_of(x_of(each).begin(), x_of(each).end(), [](double v) { return v > 200; });
  };
  CHECK(shrunk(c, has_large, 3, 256) == "x=[300] gamma=1 beta=0");
  const auto large_is_last_of_four = [&](const task::Case& each) {
    return each.cols >= 4 && x_of(each)[static_cast<std::size_t>(each.cols) - 1] > 200;
  };
  CHECK(shrunk(c, large_is_last_of_four, 0, 256) == "x=[0*3, 300] gamma=1 beta=0");
}

TEST_CASE("digits that do not matter are rounded away") {
  const auto spread = [](const task::Case& c) { return c.cols >= 2 && x_of(c)[0] != x_of(c)[1]; };
  const std::string text = shrunk(normal_case(3, 64), spread);
  CHECK((text == "x=[1, 0] gamma=1 beta=0" || text == "x=[0, 1] gamma=1 beta=0" || text == "x=[0, -1] gamma=1 beta=0" ||
         text == "x=[-1, 0] gamma=1 beta=0"));
}

TEST_CASE("padding of rows is kept only where it is needed") {
  task::Case c = normal_case(3, 64);
  c.layouts["x"].row_stride = 68;
  CHECK(shrunk(c, [](const task::Case&) { return true; }) == "x=[0] gamma=1 beta=0");
  const auto padded = [](const task::Case& each) {
    const auto layout = each.layouts.find("x");
    return layout != each.layouts.end() && layout->second.row_stride > each.cols;
  };
  CHECK(shrunk(c, padded) == "x=[0] x.stride=5 gamma=1 beta=0");
}

TEST_CASE("nothing smaller that fails: the case stays") {
  const auto whole = [](const task::Case& c) { return c.rows == 2 && c.cols == 5 && x_of(c).front() != 0; };
  const std::string text = shrunk(normal_case(2, 5), whole);
  CHECK(text.find(';') != std::string::npos);
}

TEST_CASE("shrinking ends in time when the question takes long") {
  const auto spelled = grade::spell_out(layernorm_task(), normal_case(16, 1024), 1);
  REQUIRE(spelled);
  int asked = 0;
  const grade::StillFails slow = [&](const std::vector<task::Case>& candidates) {
    ++asked;
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (std::chrono::steady_clock::now() < until) {
    }
    return std::vector<bool>(candidates.size(), true);
  };
  grade::ShrinkOptions options;
  options.time_limit = std::chrono::milliseconds(60);
  grade::shrink(layernorm_task(), *spelled, slow, options);
  CHECK(asked <= 5);
}
