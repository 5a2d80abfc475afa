#include "judge/device/codes.hpp"

#include <set>

#include "judge/tests/catch.hpp"

using namespace warpbook::device;

TEST_CASE("every error number has a name and a sentence of its own") {
  std::set<std::string_view> names, meanings;
  int previous = -1;
  for (const Code code : all_codes()) {
    CHECK(static_cast<int>(code) > previous);  // the search is binary
    previous = static_cast<int>(code);
    CHECK(name_of(code).substr(0, 4) == "cuda");
    CHECK(meaning_of(code).size() > 5);
    CHECK(names.insert(name_of(code)).second);
    CHECK(meanings.insert(meaning_of(code)).second);
  }
  CHECK(names.size() == 133);
}

TEST_CASE("error names are CUDA's") {
  CHECK(name_of(Code::kSuccess) == "cudaSuccess");
  CHECK(name_of(Code::kIllegalAddress) == "cudaErrorIllegalAddress");
  CHECK(name_of(Code::kInvalidConfiguration) == "cudaErrorInvalidConfiguration");
  CHECK(name_of(static_cast<Code>(10)) == "unrecognised error code");
  CHECK(meaning_of(static_cast<Code>(-5)) == "unrecognised error code");
}

TEST_CASE("what a running kernel breaks stays broken, what a call got wrong does not") {
  CHECK(is_sticky(Code::kIllegalAddress));
  CHECK(is_sticky(Code::kAssert));
  CHECK_FALSE(is_sticky(Code::kInvalidConfiguration));
  CHECK_FALSE(is_sticky(Code::kMemoryAllocation));
  CHECK_FALSE(is_sticky(Code::kSuccess));
}
