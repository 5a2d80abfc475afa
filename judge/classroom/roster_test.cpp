#include "judge/classroom/roster.hpp"

#include "judge/classroom/csv.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::classroom;

namespace {

std::vector<RosterLine> good(const std::string& csv) {
  const auto lines = read_roster(csv);
  INFO((lines ? std::string() : lines.error().what));
  REQUIRE(lines);
  return *lines;
}

struct Bad {
  std::string csv;
  int line, column;
  std::string what;
};

}  // namespace

TEST_CASE("a class list is read as spreadsheets write it") {
  const auto plain = good("login,name\nada,Ada Lovelace\ngrace,Grace Hopper\n");
  REQUIRE(plain.size() == 2);
  CHECK(plain[1].login == "grace");
  CHECK(plain[1].name == "Grace Hopper");
  CHECK(plain[1].role == Role::kLearner);
  CHECK_FALSE(plain[1].role_given);

  const auto windows = good(
      "\xef\xbb\xbf"
      "Name;x,Role,LOGIN,Name\r\n,instructor,ada@uni.example,\"Lovelace, \"\"Ada\"\"\"\r\n\r\n ,, b ,王小明\r\n");
  REQUIRE(windows.size() == 2);
  CHECK(windows[0].login == "ada@uni.example");
  CHECK(windows[0].name == "Lovelace, \"Ada\"");
  CHECK(windows[0].role == Role::kInstructor);
  CHECK(windows[0].role_given);
  CHECK(windows[1].login == "b");
  CHECK(windows[1].name == "王小明");
  CHECK_FALSE(windows[1].role_given);

  CHECK(good("login,name\ra,A\rb,B").size() == 2);
  CHECK(good("\"login\",\"name\"\na,\"A\"").front().name == "A");
  CHECK(good("login,name,note\na,A,\"two\nlines, and a comma\"\nb,B,").size() == 2);
}

TEST_CASE("what is wrong in a class list is told with its place") {
  const std::string long_cell(10'000'000, 'x');
  for (const Bad& bad : {
           Bad{"", 1, 1, "the list is empty"},
           Bad{"login\nada\n", 1, 1, "no column 'name'"},
           Bad{"name,mail\nAda,a@b\n", 1, 1, "no column 'login'"},
           Bad{"login;name\nada;Ada\n", 1, 1, "expected commas"},
           Bad{"login,name,Login\n", 1, 12, "the column 'login' is there twice"},
           Bad{"login,name\n", 1, 1, "names nobody"},
           Bad{"login,name\nada,Ada\nAda,Other\n", 3, 1, "stands in line 2 already"},
           Bad{"login,name\nada\n", 2, 1, "the line has 1 cells, expected 2"},
           Bad{"login,name\nada,Lovelace, Ada\n", 2, 1, "the line has 3 cells, expected 2"},
           Bad{"login,name\n,Ada\n", 2, 1, "the login is empty"},
           Bad{"login,name\nada,\"  \"\n", 2, 5, "the name is empty"},
           Bad{"login,name\na o,Ada\n", 2, 1, "the login holds a space"},
           Bad{"login,name\nädä,Ada\n", 2, 1, "the login holds U+00E4, expected letters a to z, digits and . _ - @ + only"},
           Bad{"login,name\na\u0308da,Ada\n", 2, 1, "the login holds U+0308"},  // the same letter, composed by the eye
           Bad{"login,name\n\u0410da,Ada\n", 2, 1, "the login holds U+0410"},   // a Cyrillic capital A
           Bad{"login,name\na/b,Ada\n", 2, 1, "the login holds '/'"},
           Bad{"login,name\nada,\u200b \u2060\n", 2, 5, "the name holds nothing that can be seen"},
           Bad{"login,name\na\u200b,Ada\n", 2, 1, "cannot be seen"},
           Bad{"login,name\na\u202e,Ada\n", 2, 1, "cannot be seen"},
           Bad{"login,name\nada,A\x1b[31m\n", 2, 5, "the name holds a control character"},
           Bad{"login,name,role\nada,Ada,boss\n", 2, 9, "expected learner or instructor"},
           Bad{"login,name\nada,\"Ada\n", 2, 5, "a quote has no end"},
           Bad{"login,name\nada,Ada \"x\"\n", 2, 9, "a quote stands in the middle"},
           Bad{"login,name\nada,\"Ada\"x\n", 2, 10, "text follows a cell in quotes"},
           Bad{"login,name\nada,\"A\r\nB\"\nb,\"x\n", 4, 3, "a quote has no end"},
           Bad{"login,name\nada,\"A\r\nB\"\n", 2, 5, "control character"},
           Bad{"login,name\nada,Ad\xff"
               "a\n",
               2, 7, "is not UTF-8 text"},
           Bad{std::string("login,name\nada,A\0a\n", 19), 2, 6, "is not UTF-8 text"},
           Bad{"login,name\nada," + long_cell + "\n", 2, 5, "a cell has more than 4096 bytes"},
           Bad{"login,name\nada,\"" + long_cell + "\"\n", 2, 5, "a cell has more than 4096 bytes"},
           Bad{"login,name\nada," + std::string(300, 'x') + "\n", 2, 5, "the name has 300 bytes"},
           Bad{"login,name\n" + std::string(300, 'x') + ",Ada\n", 2, 1, "the login has 300 bytes"},
       }) {
    const auto lines = read_roster(bad.csv);
    INFO(bad.csv.substr(0, 100));
    REQUIRE_FALSE(lines);
    INFO(lines.error().what);
    CHECK(lines.error().what.find(bad.what) != std::string::npos);
    CHECK(lines.error().where.line == bad.line);
    CHECK(lines.error().where.column == bad.column);
  }
}

TEST_CASE("a list may have ten thousand lines and not one more") {
  std::string csv = "login,name\n";
  for (std::size_t i = 0; i < kMostRosterLines; ++i) csv += "p" + std::to_string(i) + ",P\n";
  CHECK(good(csv).size() == kMostRosterLines);
  const auto more = read_roster(csv + "last,P\n");
  REQUIRE_FALSE(more);
  CHECK(more.error().where.line == static_cast<int>(kMostRosterLines) + 2);
}

TEST_CASE("a cell that a spreadsheet would compute is written so that it does not") {
  CHECK(csv_cell("=HYPERLINK(\"http://x\")") == "\"'=HYPERLINK(\"\"http://x\"\")\"");
  CHECK(csv_cell("+1") == "'+1");
  CHECK(csv_cell("-1") == "'-1");
  CHECK(csv_cell("@SUM(A1)") == "'@SUM(A1)");
  CHECK(csv_cell("\tx") == "'\tx");
  CHECK(csv_cell("\rx") == "\"'\rx\"");
  CHECK(csv_cell("a=b") == "a=b");
  CHECK(csv_cell("") == "");
  CHECK(csv_cell("a,b\n\"c\"") == "\"a,b\n\"\"c\"\"\"");
}
