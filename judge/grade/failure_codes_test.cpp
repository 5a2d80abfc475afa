// The manifest knows failures by codes that are written down twice, because judge/task does not look into judge/grade.
#include "judge/task/failure_codes.hpp"

#include <algorithm>

#include "judge/grade/verdict.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::grade;

TEST_CASE("a manifest may name every reason and verdict of a failure, and no other") {
  const auto known = [](std::string_view code) {
    const auto& codes = task::failure_codes();
    return std::find(codes.begin(), codes.end(), code) != codes.end();
  };
  const auto never_of_code = [](Reason reason) {
    return reason == Reason::kNone || reason == Reason::kUnprovenMeasurement || reason == Reason::kFatalMisconception ||
           reason >= Reason::kUnsupported;
  };
  for (int i = 0; i <= static_cast<int>(Reason::kInternal); ++i) {
    const auto reason = static_cast<Reason>(i);
    INFO(code_of(reason));
    CHECK(known(code_of(reason)) == !never_of_code(reason));
  }
  for (int i = 0; i <= static_cast<int>(Verdict::kJudgeError); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    INFO(code_of(verdict));
    CHECK(known(code_of(verdict)) == (verdict != Verdict::kAccepted && verdict != Verdict::kJudgeError));
  }
  for (const std::string& code : task::failure_codes()) {
    INFO(code);
    CHECK((find_reason(code) || find_verdict(code)));
  }
}
