// Manifests that are broken or hostile: status 2 with file, line and column, and quickly. What does not need the manifest still works.
#include <regex>

#include "judge/tests/catch.hpp"
#include "judge/tests/cli/home.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook::cli;

namespace {

constexpr double kRefusedWithin = 10;  // seconds, on a busy machine

/// A workbook whose lesson 05 has this manifest.
class Broken {
 public:
  explicit Broken(const std::string& manifest) {
    home_.own_lesson("05-layernorm");
    home_.write("lessons/05-layernorm/lesson.xml", manifest);
  }

  /// Every command that reads the manifest says where it is broken.
  void check(const std::string& place, const std::string& why) const {
    for (const Words& words : {Words{"run", "05", "--solution"}, Words{"show", "05"}, Words{"verify", "05"}, Words{"list"}}) {
      const Said said = home_.judge(words);
      INFO("judge " << words[0] << ": expected " << place << " " << why);
      CHECK(said.status == kUsage);
      CHECK(said.out.empty());
      CHECK(std::regex_search(said.err, std::regex("lessons/05-layernorm/lesson\\.xml:" + place + ": error: ")));
      CHECK(contains(said.err, why));
      CHECK(said.seconds < kRefusedWithin);
    }
    CHECK(home_.judge({"show", "06"}).status == kAccepted);  // one broken lesson breaks no other
  }

 private:
  Home home_;
};

std::string manifest() { return repository_text("lessons/05-layernorm/lesson.xml"); }

const std::string kAnyPlace = "\\d+:\\d+";

}  // namespace

TEST_CASE("a truncated manifest") {
  const std::string whole = manifest();
  Broken(whole.substr(0, whole.find("<fill ") + 6)).check(kAnyPlace, "the file ends inside the tag <fill");
  Broken(whole.substr(0, whole.find("mean, variance"))).check(kAnyPlace, "title");
}

TEST_CASE("an empty manifest") { Broken("").check("1:1", "holds no element"); }

TEST_CASE("entities that multiply are refused and not expanded") {
  std::string bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE lesson [\n  <!ENTITY a \"aaaaaaaaaa\">\n";
  for (char c = 'b'; c <= 'z'; ++c)
    bomb += std::string("  <!ENTITY ") + c + " \"&" + char(c - 1) + ";&" + char(c - 1) + ";&" + char(c - 1) + ";\">\n";
  Broken(bomb + "]>\n<lesson>&z;</lesson>\n").check("2:1", "document types and entities are not accepted");
}

TEST_CASE("ten thousand nested elements") {
  constexpr int kDepth = 10'000;
  std::string deep = "<lesson>\n";
  for (int i = 0; i < kDepth; ++i) deep += "<a>";
  for (int i = 0; i < kDepth; ++i) deep += "</a>";
  Broken(deep + "</lesson>\n").check("2:\\d+", "elements are nested deeper than 16");
}

TEST_CASE("a manifest in another encoding") {
  std::string latin = manifest();
  const std::size_t at = latin.find("cancels");
  latin[at] = '\xE4';
  Broken(latin).check("3:" + std::to_string(at - latin.rfind('\n', at)), "UTF-8");

  std::string wide = "\xFF\xFE";  // UTF-16
  for (const char c : std::string("<lesson/>")) wide += std::string{c, '\0'};
  Broken(wide).check("1:1", "UTF-8");
}

TEST_CASE("an unknown element and an unknown attribute") {
  Broken(replaced(manifest(), "  <cases>\n", "  <cases>\n    <normel name=\"x\"/>\n")).check(kAnyPlace, "unknown element <normel>");
  Broken(replaced(manifest(), "level=\"2\" operator", "levle=\"2\" operator")).check("2:27", "unknown attribute 'levle'");
}

TEST_CASE("an operator that does not exist") {
  Broken(replaced(manifest(), "operator=\"layernorm\"", "operator=\"layernrom\"")).check("2:37", "unknown operator 'layernrom'");
}
