// Input that nobody wrote in good faith, or that a broken disk wrote.
#include <random>

#include "judge/task/task_fixture.hpp"
#include "judge/task/xml_document.hpp"

using namespace warpbook;
using namespace warpbook::task;

TEST_CASE("a manifest cut off anywhere is an error") {
  const std::string text = example_manifest();
  const std::size_t whole = text.rfind("</lesson>") + 9;
  for (std::size_t length = 0; length < whole; ++length) {
    const auto task = read_example(text.substr(0, length));
    INFO("cut at byte " << length);
    REQUIRE_FALSE(task);
    REQUIRE_FALSE(task.error().what.empty());
  }
}

TEST_CASE("flipped, dropped and doubled bytes never crash, and every error has a place or names the file") {
  std::mt19937 random(20260101);
  const std::string text = example_manifest();
  int errors = 0;
  constexpr int kRounds = 3000;
  for (int round = 0; round < kRounds; ++round) {
    std::string changed = text;
    for (int change = 0; change < 1 + round % 3; ++change) {
      const std::size_t at = random() % changed.size();
      switch (random() % 4) {
        case 0: changed[at] = static_cast<char>(random()); break;
        case 1: changed.erase(at, 1 + random() % 20); break;
        case 2: changed.insert(at, changed.substr(random() % changed.size(), random() % 30)); break;
        default: changed[at] = "<>&\"'/=!-["[random() % 10];
      }
    }
    const auto task = read_example(changed);
    if (task) continue;
    ++errors;
    REQUIRE_FALSE(task.error().what.empty());
    REQUIRE(task.error().where.file == "lesson.xml");
  }
  CHECK(errors > kRounds / 3);
}

TEST_CASE("hostile XML is refused for what it is") {
  const auto what = [](const std::string& text) {
    const auto root = parse_xml(text, "bad.xml");
    return root ? std::string("accepted") : root.error().text();
  };
  CHECK(what("<!DOCTYPE a [<!ENTITY b \"&c;&c;\">]><a>&b;</a>").find("bad.xml:1:1: error: document types and entities are not accepted") ==
        0);
  CHECK(what("<a>&b;</a>").find("bad.xml:1:4: error: unknown entity '&b;'") == 0);
  CHECK(what("<a>&#0;</a>").find("bad.xml:1:4: error: '&#0;' is not a character") == 0);
  CHECK(what("<a>&#x110000;</a>").find("is not a character") != std::string::npos);
  CHECK(what("<a>&#xD800;</a>").find("is not a character") != std::string::npos);
  CHECK(what("<a>b & c</a>").find("a bare '&', expected '&amp;'") != std::string::npos);
  CHECK(what("<a b='<'/>").find("'<' in the value of 'b'") != std::string::npos);
  CHECK(what("<a b=1/>").find("is not quoted") != std::string::npos);
  CHECK(what("<a b='1'c='2'/>").find("unexpected 'c' in <a>") != std::string::npos);
  CHECK(what("<a/><b/>").find("a second root element <b>") != std::string::npos);
  CHECK(what("<a/>text").find("text outside the root element") != std::string::npos);
  CHECK(what("<a><b></a></b>").find("</a> stands where </b> is expected") != std::string::npos);
  CHECK(what("<a/></a>").find("</a> closes nothing") != std::string::npos);
  CHECK(what("<?php x ?><a/>").find("processing instructions are not accepted") != std::string::npos);
  CHECK(what("<?xml version='1.0' encoding='UTF-16'?><a/>").find("a manifest is UTF-8") != std::string::npos);
  CHECK(what("<a><!-- open").find("this comment is not closed") != std::string::npos);
  CHECK(what("<a>\n  <![CDATA[ open").find("bad.xml:2:3: error: this CDATA section is not closed") == 0);
  CHECK(what("").find("holds no element") != std::string::npos);
  CHECK(what("just text").find("text outside the root element") != std::string::npos);
  CHECK(what(std::string("<a>\0</a>", 8)).find("is not UTF-8 text") != std::string::npos);
  CHECK(what("<a>\xff</a>").find("is not UTF-8 text") != std::string::npos);
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  CHECK(what(deep).find("elements are nested deeper than 16") != std::string::npos);
  CHECK(what("<a>" + std::string(2 << 20, ' ') + "</a>").find("at most 1048576 are read") != std::string::npos);
  CHECK(what("\xEF\xBB\xBF<a>\r\n</a>\r\n") == "accepted");
}

TEST_CASE("a rubric cannot be made to run for ever or too deep") {
  const std::string parentheses(2000, '(');
  CHECK(read_example(example_with("<cause>constant rows?</cause>", "<cause>" + parentheses + "</cause>"))
            .error()
            .what.find("is not a regular expression") != std::string::npos);
  // Exponential for a backtracking matcher on a run of a's that ends differently.
  CHECK(read_example(example_with("<cause>constant rows?</cause>", "<cause>(a+)+b</cause><cause>constant rows</cause>")));
}
