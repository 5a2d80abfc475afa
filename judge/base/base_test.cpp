#include "judge/base/error.hpp"
#include "judge/base/files.hpp"
#include "judge/base/hash.hpp"
#include "judge/base/text.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;

TEST_CASE("an error shows its place, its line and a caret") {
  const Error e{"expected ';'", {"a.cu", 7, 3}, "x y"};
  CHECK(e.text() == "a.cu:7:3: error: expected ';'\n    7 | x y\n      |   ^");
  CHECK(Error{"no such task"}.text() == "error: no such task");
}

TEST_CASE("text is UTF-8 without NUL") {
  CHECK(is_text("plain\n"));
  CHECK(is_text("\xe4\xb8\xad"));
  CHECK(is_text(""));
  CHECK(text_length("ab\xe4\xb8\xad\xff"
                    "c") == 5);
  CHECK_FALSE(is_text(std::string_view("a\0b", 3)));
  CHECK_FALSE(is_text("\xff\xfe"));
  CHECK_FALSE(is_text("\xe4\xb8"));
}

TEST_CASE("lines lose either line end") {
  CHECK(split_lines("a\r\nb\nc") == std::vector<std::string>{"a", "b", "c"});
  CHECK(split_lines("a\n") == std::vector<std::string>{"a"});
  CHECK(split_lines("").empty());
}

TEST_CASE("files are written whole and read back") {
  const auto path = std::filesystem::temp_directory_path() / "warpbook base test" / "一.txt";
  REQUIRE(write_file(path, "hello"));
  CHECK(read_file(path).value() == "hello");
  CHECK(read_file(path, 4).error().what == "is 5 bytes long, at most 4 are read");
  CHECK(read_file(path.parent_path()).error().what == "is a directory, expected a file");
  CHECK_FALSE(read_file(path.parent_path() / "absent"));
  std::filesystem::remove_all(path.parent_path());
}

TEST_CASE("a hash tells apart how the parts were cut") {
  CHECK(HashBuilder().add("a", "bc").hex() != HashBuilder().add("ab", "c").hex());
  CHECK(content_hash("x").size() == 32);
}

TEST_CASE("white space is taken off both ends of a text, and only there") {
  CHECK(trimmed(" \t a b\r\n") == "a b");
  CHECK(trimmed("a") == "a");
  CHECK(trimmed(" \t\n").empty());
  CHECK(trimmed("").empty());
}
