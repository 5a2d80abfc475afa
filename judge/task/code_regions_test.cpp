#include "judge/task/code_regions.hpp"

#include <unistd.h>

#include "judge/base/files.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::task;

namespace {

const std::string kSource = R"(int a;
  // region outer
  void f() {
    // region inner
    g();
    // endregion inner
  }
  // endregion outer
)";

}  // namespace

TEST_CASE("a region is its lines without markers and common indentation") {
  CHECK(*code_region(kSource, "a.cu", "outer") == "void f() {\n  g();\n}");
  CHECK(*code_region(kSource, "a.cu", "inner") == "g();");
}

TEST_CASE("regions that do not pair up are errors with a line") {
  CHECK(code_region(kSource, "a.cu", "iner").error().text() ==
        "a.cu: error: has no region 'iner', expected one of outer, inner; did you mean 'inner'?");
  CHECK(code_region("// region a\nx\n", "a.cu", "a").error().text().find("a.cu:1:1: error: region 'a' is not closed") == 0);
  CHECK(code_region("// endregion a\n", "a.cu", "a").error().what == "region 'a' is closed but not open");
  CHECK(code_region("// region a\n// endregion a\n// region a\n// endregion a\n", "a.cu", "a").error().where.line == 3);
}

TEST_CASE("Markdown shows regions and leaves everything else alone") {
  const auto folder = std::filesystem::temp_directory_path() / ("warpbook regions " + std::to_string(::getpid()));
  REQUIRE(write_file(folder / "solution.cu", kSource));
  const auto expanded = [&](const std::string& text) { return expand_regions(text, "lesson.md", folder); };
  CHECK(*expanded("# T\n\n{{code solution.cu#inner}}\nend\n") == "# T\n\n```cuda\ng();\n```\nend\n");
  CHECK(*expanded("```\n{{code solution.cu#none}}\n```\n") == "```\n{{code solution.cu#none}}\n```\n");
  const auto error = [&](const std::string& text) { return expanded(text).error().text(); };
  CHECK(error("a\nsee {{code solution.cu#inner}}\n").find("lesson.md:2:5: error: expected {{code FILE#REGION}} on a line of its own") == 0);
  CHECK(error("{{code solution.cu}}\n").find("lesson.md:1:1: error: expected {{code FILE#REGION}}") == 0);
  CHECK(error("\n{{code solution.cu#iner}}\n")
            .find("lesson.md:2:1: error: solution.cu has no region 'iner', expected one of outer, inner; did you mean 'inner'?") == 0);
  CHECK(error("{{code absent.cu#a}}\n").find("lesson.md:1:1: error: absent.cu: cannot be opened") == 0);
  CHECK(error("{{code ../solution.cu#a}}\n").find("'../solution.cu' lies outside the folder of the task") != std::string::npos);
  CHECK(error("{{code /etc/passwd#a}}\n").find("lies outside the folder of the task") != std::string::npos);
  std::filesystem::remove_all(folder);
}
