// The small helpers: numbers as text, suggestions, places, diffs.
#include <cmath>

#include "judge/task/line_diff.hpp"
#include "judge/task/number_text.hpp"
#include "judge/task/place.hpp"
#include "judge/task/suggest.hpp"
#include "judge/task/xml_reader.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook::task;

TEST_CASE("numbers are read in every form and in no other") {
  CHECK(parse_number("-1.5e3") == -1500);
  CHECK(parse_number("0x1.8p1") == 3);
  CHECK(parse_number("0x10") == 16);
  CHECK(std::signbit(*parse_number("-0")));
  CHECK(std::isinf(*parse_number("-inf")));
  CHECK(std::isnan(*parse_number("nan")));
  CHECK(parse_number("+.5") == 0.5);
  for (const char* bad : {"", "-", "--1", "1 ", " 1", "1x", "infinity", "nan(1)", "Inf", "e5", "0x", "1e999", "1,5", "０"}) {
    INFO(bad);
    CHECK_FALSE(parse_number(bad));
  }
  CHECK(parse_integer("0xffffffff") == 4294967295);
  CHECK(parse_integer("-7") == -7);
  for (const char* bad : {"", "1.0", "--1", "9223372036854775808", "0x"}) CHECK_FALSE(parse_integer(bad));
  for (const double value : {0.1, -2.25, 1e-45, 3.4028234663852886e38, 1.0 / 3}) CHECK(parse_number(number_text(value)) == value);
}

TEST_CASE("suggestions are near and never far-fetched") {
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("levle", "level") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(closest_name("layernrom", {"softmax", "layernorm"}) == "layernorm");
  CHECK(closest_name("min", {"mean", "maximum"}).empty());
  CHECK(closest_name("gauss", {"constant", "uniform", "normal"}).empty());
  CHECK(expected_one_of("x", {"eps"}) == "expected eps");
  CHECK(expected_one_of("x", {}) == "none is expected here");
}

TEST_CASE("places count lines and bytes from one") {
  const std::string text = "ab\ncd\r\ne";
  CHECK(place_of(text, 0, "f").column == 1);
  CHECK(place_of(text, 4, "f").line == 2);
  CHECK(place_of(text, 4, "f").column == 2);
  CHECK(place_of(text, 999, "f").line == 3);
  CHECK(line_of(text, 2) == "cd");
  CHECK(line_of(text, 9).empty());
  CHECK(line_of(std::string(1000, 'x'), 1).size() == 240);
}

TEST_CASE("common indentation goes, the rest stays") {
  CHECK(dedented("one line") == "one line");
  CHECK(dedented("\n    a\n      b\n\n    c\n  ") == "a\n  b\n\nc");
  CHECK(dedented("first\n    second\n    third") == "first\nsecond\nthird");
  CHECK(dedented(" \n \t\n").empty());
}

TEST_CASE("a diff shows what was added, removed and where") {
  const std::vector<std::string> before{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
  std::vector<std::string> after = before;
  CHECK(unified_diff(before, after, "a", "b").empty());
  after[1] = " b ";
  CHECK(unified_diff(before, after, "a", "b").empty());
  CHECK(unified_diff(before, after, "a", "b", LineEquality::kExact).find("-b\n+ b \n") != std::string::npos);
  after.erase(after.begin() + 11);
  after.insert(after.begin(), "new");
  CHECK(unified_diff(before, after, "old.cu", "new.cu") ==
        "--- old.cu\n+++ new.cu\n@@ -1,3 +1,4 @@\n+new\n a\n  b \n c\n@@ -9,4 +10,3 @@\n i\n j\n k\n-l\n");
  CHECK(unified_diff({}, {"x"}, "a", "b") == "--- a\n+++ b\n@@ -0,0 +1,1 @@\n+x\n");
  CHECK(unified_diff({"x"}, {}, "a", "b") == "--- a\n+++ b\n@@ -1,1 +0,0 @@\n-x\n");
}
