// The files that `run` writes for other programs.
#include <tinyxml2.h>

#include "judge/base/files.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook::cli;

namespace {

/// A wrong scale: rows of zeros come out right, the other two cases do not.
const Words kThreeCases = {"--case", "zeros", "--case", "two-values", "--case", "one-column"};

const char* const kNoScale = "  const float scale = mean_square * 0.0f + 0.25f;\n";

}  // namespace

TEST_CASE("the report --junit is well-formed and counts the cases") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kNoScale));
  Words words = {"run", "05", "--junit", "result.xml"};
  words.insert(words.end(), kThreeCases.begin(), kThreeCases.end());
  CHECK(home.judge(words).status == kNotAccepted);
  const std::string text = home.read("result.xml");
  tinyxml2::XMLDocument document;
  REQUIRE(document.Parse(text.data(), text.size()) == tinyxml2::XML_SUCCESS);
  const auto* suites = document.FirstChildElement("testsuites");
  REQUIRE(suites != nullptr);
  const auto* suite = suites->FirstChildElement("testsuite");
  REQUIRE(suite != nullptr);
  CHECK(suite->IntAttribute("tests") == 3);
  CHECK(suite->IntAttribute("failures") == 1);
  CHECK(suite->IntAttribute("errors") == 0);
  int cases = 0, failures = 0;
  for (const auto* one = suite->FirstChildElement("testcase"); one != nullptr; one = one->NextSiblingElement("testcase")) {
    ++cases;
    const auto* failure = one->FirstChildElement("failure");
    if (failure == nullptr) continue;
    ++failures;
    CHECK(std::string(one->Attribute("name")) == "two-values");
    CHECK(std::string(failure->Attribute("type")) == "WA value");
  }
  CHECK(cases == 3);
  CHECK(failures == 1);
}

TEST_CASE("the report --junit of a submission that never ran is not green") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", repository_text("lessons/05-layernorm/exercise.cu"));
  CHECK(home.judge({"run", "05", "--junit", "result.xml"}).status == kNotAccepted);
  const std::string text = home.read("result.xml");
  tinyxml2::XMLDocument document;
  REQUIRE(document.Parse(text.data(), text.size()) == tinyxml2::XML_SUCCESS);
  CHECK(contains(text, "failures=\"1\""));
  CHECK(contains(text, "CE blank-empty"));
}

TEST_CASE("the report --json tells every case what it knows") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kNoScale));
  Words words = {"05"};
  words.insert(words.end(), kThreeCases.begin(), kThreeCases.end());
  const Graded graded = grade(home, words);
  REQUIRE(graded.result["cases"].size() == 3);
  CHECK(graded.result["verdict"] == "WA");
  CHECK(graded.result["file"] == "work/05-layernorm/exercise.cu");
  CHECK(graded.result["cases"][0]["name"] == "two-values");  // in the order of the manifest
  const auto& worst = graded.result["cases"][0]["worst"];
  CHECK(worst["tensor"] == "y");
  CHECK(worst["expected"].get<double>() == Approx(-1).epsilon(0.001));
  CHECK(worst["error"].get<double>() > worst["bound"].get<double>());
  CHECK(worst["over"] == 4);
  CHECK(graded.result["cases"][1]["verdict"] == "AC");
  CHECK(graded.result["score"]["normal"] == 0.0);  // none of the normal cases ran
}

TEST_CASE("the option --meters sets what a case cost beside the learner's own lines") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kRightVariance));
  const Said said = home.judge({"run", "05", "--case", "plain", "--meters"});
  CHECK(said.status == kAccepted);
  CHECK(contains(said.out, "meters of case plain"));
  std::string margin;  // of the line that reads the row
  for (const std::string& line : warpbook::split_lines(said.out)) {
    if (contains(line, "const float value = row[col];")) margin = line.substr(0, line.find("const float"));
  }
  INFO(margin);
  REQUIRE(contains(margin, "|"));
  CHECK(margin.find_first_of("123456789") < margin.find('|'));  // thread instructions were counted there
  CHECK_FALSE(contains(home.judge({"run", "05", "--case", "plain"}).out, "meters of case"));
}

TEST_CASE("a kernel that writes to an input is told so, although inputs are not watched for races") {
  const Home home;
  const Graded graded =
      grade_layernorm(home, layernorm_with(kRightVariance + "  if (threadIdx.x == 0) *const_cast<float*>(x + offset) = scale + 3.0f;\n"));
  CHECK(graded.verdict() == "WA");
  CHECK(graded.reason() == "input-changed");
  CHECK(contains(graded.said.out, "the kernel changed its input x"));
}

TEST_CASE("a warning of the checkers does not decide, and is told on the terminal and in the JSON") {
  const Home home;
  const std::string text = layernorm_with(kRightVariance +
                                          "  __shared__ float seen[32];\n"
                                          "  float other = 0.0f;\n"
                                          "  if (threadIdx.x < 32) {\n"
                                          "    seen[threadIdx.x] = scale;\n"
                                          "    other = seen[threadIdx.x ^ 1];\n"
                                          "  }\n"
                                          "  if (other == -1.0f) y[offset] = other;\n");
  const Graded graded = grade_layernorm(home, text);
  CHECK(graded.verdict() == "AC");
  const int line = line_with(text, "other = seen[");
  CHECK(contains(graded.said.out, "exercise.cu:" + std::to_string(line)));
  CHECK(contains(graded.said.out, "warning: "));
  CHECK(contains(graded.said.out, "is a __syncwarp() missing"));
  const auto& remarks = graded.result.at("cases").at(0).at("remarks");
  REQUIRE_FALSE(remarks.empty());
  CHECK(remarks[0].at("severity") == "warning");
  CHECK(remarks[0].at("frames")[0].at("line") == line);
}

TEST_CASE("the same seed gives the same result") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kNoScale));
  const auto cases_of = [&](const char* seed) {
    Graded graded = grade(home, {"05", "--case", "plain", "--seed", seed});
    graded.result["cases"][0].erase("seconds");
    CHECK(std::to_string(graded.result["provenance"]["seed"].get<std::uint64_t>()) == seed);
    return graded.result["cases"];
  };
  const auto first = cases_of("41");
  CHECK(first == cases_of("41"));
  CHECK(first != cases_of("42"));
}

TEST_CASE("a report that has no place is refused before anything is judged") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kRightVariance));
  for (const char* file : {"nowhere/result.json", "work"}) {
    const Said said = home.judge({"run", "05", "--json", file});
    CHECK(said.status == kUsage);
    CHECK(said.out.empty());
    CHECK(contains(said.err, "--json"));
  }
}

TEST_CASE("a report that cannot be written is said, and the verdict is still shown") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kRightVariance));
  std::filesystem::create_directory(home.at("locked"));
  std::filesystem::permissions(home.at("locked"), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  for (const char* option : {"--json", "--junit"}) {
    const Said said = finish(without_privileges(home.command({"run", "05", "--case", "zeros", option, "locked/result"})));
    CHECK(said.status == kCouldNot);
    CHECK(contains(said.out, "AC accepted"));
    CHECK(contains(said.err, "locked/result: error: cannot be written: Permission denied"));
  }
}
