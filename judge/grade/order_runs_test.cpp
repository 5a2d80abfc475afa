#include "judge/grade/order_runs.hpp"

#include "judge/tests/catch.hpp"

namespace warpbook::grade {
namespace {

using Order = vgpu::Schedule::Order;

CaseResult answered(std::vector<double> values, bool order_matters) {
  CaseResult result;
  result.verdict = Verdict::kAccepted;
  result.reason = Reason::kNone;
  result.order_matters = order_matters;
  result.answers.push_back({"y", 2, std::move(values)});
  return result;
}

CaseResult wrong_in_second_row() {
  CaseResult result;
  result.verdict = Verdict::kWrongAnswer;
  result.reason = Reason::kValue;
  result.worst = WorstElement{"y", 1, 0};
  return result;
}

}  // namespace

TEST_CASE("a case whose order cannot matter, or that has failed, runs once") {
  int runs = 0;
  CHECK(run_in_orders([&](const vgpu::Schedule&) {
          ++runs;
          return answered({1, 2}, false);
        }).verdict == Verdict::kAccepted);
  CHECK(runs == 1);
  CHECK(run_in_orders([&](const vgpu::Schedule&) {
          ++runs;
          CaseResult failed = wrong_in_second_row();
          failed.order_matters = true;
          return failed;
        }).verdict == Verdict::kWrongAnswer);
  CHECK(runs == 2);
}

TEST_CASE("equal answers in three orders are accepted without a word") {
  std::vector<Order> orders;
  const CaseResult result = run_in_orders([&](const vgpu::Schedule& schedule) {
    orders.push_back(schedule.order);
    return answered({1, 2, 3, 4}, true);
  });
  CHECK(orders == std::vector{Order::kAscending, Order::kDescending, Order::kSeeded});
  CHECK(result.verdict == Verdict::kAccepted);
  CHECK(result.notes.empty());
}

TEST_CASE("an answer that fails in one order only is that failure, with both values") {
  for (const Order failing : {Order::kDescending, Order::kSeeded}) {
    const CaseResult result = run_in_orders([&](const vgpu::Schedule& schedule) {
      return schedule.order == failing ? wrong_in_second_row() : answered({1, 2, 3, 4}, true);
    });
    CHECK(result.verdict == Verdict::kWrongAnswer);
    REQUIRE(result.notes.size() == 1);
    CHECK(result.notes[0].find("only when blocks and warps run") != std::string::npos);
    CHECK(result.notes[0].find("in order the same element is 3") != std::string::npos);
  }
}

TEST_CASE("answers that differ within their bounds are noted, and the other order is still asked") {
  const auto differs_descending = [](const vgpu::Schedule& schedule) {
    return answered({1, schedule.order == Order::kDescending ? 2.5 : 2.0, 3, 4}, true);
  };
  const CaseResult noted = run_in_orders(differs_descending);
  CHECK(noted.verdict == Verdict::kAccepted);
  REQUIRE(noted.notes.size() == 1);
  CHECK(noted.notes[0].find("y[0][1] is 2 in order and 2.5 when") != std::string::npos);

  const CaseResult failed = run_in_orders([&](const vgpu::Schedule& schedule) {
    return schedule.order == Order::kSeeded ? wrong_in_second_row() : differs_descending(schedule);
  });
  CHECK(failed.verdict == Verdict::kWrongAnswer);
}

}  // namespace warpbook::grade
