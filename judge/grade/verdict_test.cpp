#include "judge/grade/verdict.hpp"

#include <set>
#include <string>

#include "judge/tests/catch.hpp"

using namespace warpbook::grade;

TEST_CASE("every verdict and reason has a code of its own and a sentence, and is found by its code") {
  std::set<std::string> codes;
  for (int i = 0; i <= static_cast<int>(Reason::kInternal); ++i) {
    const auto reason = static_cast<Reason>(i);
    CHECK(codes.insert(std::string(code_of(reason))).second);
    CHECK_FALSE(sentence_of(reason).empty());
    CHECK(find_reason(code_of(reason)) == reason);
  }
  for (int i = 0; i <= static_cast<int>(Verdict::kJudgeError); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    CHECK(find_verdict(code_of(verdict)) == verdict);
    CHECK_FALSE(sentence_of(verdict).empty());
  }
  CHECK_FALSE(find_verdict("OK"));
  CHECK_FALSE(find_reason(""));
}
