#include "judge/grade/probes.hpp"

#include "judge/grade/input_literal.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using grade::CaseResult;
using grade::Verdict;

namespace {

/// Two rows of two columns came back.
CaseResult came_back(std::vector<double> values, Verdict verdict = Verdict::kWrongAnswer) {
  CaseResult r;
  r.verdict = verdict;
  r.cols = 2;
  r.answers = {{"y", 2, std::move(values)}};
  return r;
}

operators::Expected right_rows(std::vector<double> values) {
  operators::Expected e;
  e.tensor = "y";
  e.rows = 2;
  e.cols = 2;
  e.bound.assign(values.size(), 1e-6);
  e.value = std::move(values);
  return e;
}

/// One probe [1, 2; 3, 4] and its image [2, 1; 4, 3], as two files answered them.
double alike(const CaseResult& learner, const CaseResult& learner_image, const CaseResult& known, const CaseResult& known_image) {
  const std::vector<operators::Expected> probe{right_rows({1, 2, 3, 4})}, image{right_rows({2, 1, 4, 3})};
  const std::vector<grade::ProbedCase> both{{&learner, &known, probe}, {&learner_image, &known_image, image}};
  return grade::probe_likeness(both, {}, {});
}

}  // namespace

TEST_CASE("what was right on every probe tells nothing") {
  const CaseResult right = came_back({1, 2, 3, 4}, Verdict::kAccepted), image = came_back({2, 1, 4, 3}, Verdict::kAccepted);
  CHECK(alike(right, image, came_back({9, 9, 3, 4}), image) < 0);
}

TEST_CASE("rows count that both files get wrong with the same values") {
  const CaseResult right = came_back({2, 1, 4, 3});
  CHECK(alike(came_back({9, 2, 3, 4}), right, came_back({9, 2, 3, 4}), right) == 1);
  CHECK(alike(came_back({9, 2, 3, 4}), right, came_back({8, 2, 3, 4}), right) == 0);
  // The learner's file fails one row, the known mistake both.
  CHECK(alike(came_back({9, 2, 3, 4}), right, came_back({9, 2, 9, 4}), right) == 0.5);
}

TEST_CASE("a tree that takes its parts from the other side is alike in the mirror") {
  const CaseResult right = came_back({1, 2, 3, 4}), right_image = came_back({2, 1, 4, 3});
  // The first file errs on the probe, the other one on the image, and each with the same values at mirrored columns.
  CHECK(alike(came_back({9, 7, 3, 4}), right_image, right, came_back({7, 9, 4, 3})) == 1);
}

TEST_CASE("a launch that a fault ended is alike as far as the faults are") {
  CaseResult fault;
  fault.verdict = Verdict::kRuntimeError;
  fault.fault.emplace();
  fault.fault->kind = device::FaultKind::kOutOfBounds;
  fault.fault->space = "global";
  fault.fault->message = "read of 4 bytes at 0x40 is 4 bytes past the end of x (8 bytes)";
  const CaseResult right = came_back({2, 1, 4, 3}, Verdict::kAccepted);
  CHECK(alike(fault, fault, fault, fault) > 0.5);
  CHECK(alike(fault, right, came_back({9, 2, 3, 4}), right) == 0);
}

TEST_CASE("probes are windows of failing cases, each with its image") {
  task::Task task;
  task.operator_name = "softmax";
  task.parameters = {"x", "y", "rows", "cols"};
  const auto c = grade::parse_input(task, "x=[1, 2, 3, 4; 5, 6, 7, 8]");
  REQUIRE(c);
  const std::vector<grade::Probe> probes = grade::probes_of(task, {*c}, 1);
  REQUIRE(probes.size() == 4);  // two and three columns; 33 are not there
  CHECK(probes[0].input.fills.at("x").values == std::vector<double>{1, 2, 5, 6});
  CHECK(probes[1].input.fills.at("x").values == std::vector<double>{2, 1, 6, 5});
  CHECK(probes[2].input.cols == 3);
  task::Case finite = *c;
  finite.check = task::CheckKind::kFinite;
  CHECK(grade::probes_of(task, {finite}, 1).empty());
}
