// The figures of all lessons: each kept recording is what its program gives today, and no program gives away a blank.
#include "judge/trace/figure.hpp"

#include <fmt/format.h>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"
#include "judge/task/blanks.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/temporary_folder.hpp"

using namespace warpbook;
using namespace warpbook::trace;

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = WARPBOOK_SOURCE_DIR;

std::vector<fs::path> all_figures() {
  std::vector<fs::path> all;
  for (const fs::directory_entry& lesson : fs::directory_iterator(kRoot / "lessons"))
    for (const fs::path& figure : figures_in(lesson.path())) all.push_back(figure);
  return all;
}

nlohmann::json kept_of(fs::path program) {
  const Result<std::string> text = read_file(program.replace_extension(".trace"));
  REQUIRE(text);
  nlohmann::json kept = nlohmann::json::parse(*text, nullptr, false);
  REQUIRE(kept.is_object());
  CHECK(figure_text(kept) == *text);
  return kept;
}

}  // namespace

TEST_CASE("a figure says how it is launched in its first lines") {
  const auto launch = figure_launch("// What it is.\n//\n// threads 64\n// in x 3 1.5 -2\n// in x 7\n// out y 64\nint i;\n");
  REQUIRE(launch);
  CHECK(launch->threads == 64);
  REQUIRE(launch->arguments.size() == 2);
  CHECK(launch->arguments[0].values == std::vector<float>{3, 1.5f, -2, 7});
  CHECK_FALSE(launch->arguments[0].output);
  CHECK(launch->arguments[1].values.size() == 64);
  CHECK(launch->arguments[1].output);
  for (const auto& [text, line] :
       {std::pair{"// threads 0\n", 1}, {"\n// in x\n", 2}, {"// in x 1 two\n", 1}, {"// out y 0\n", 1}, {"// threads 32\n", 0}}) {
    INFO(text);
    const auto wrong = figure_launch(text);
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().where.line == line);
    if (line == 0) CHECK(wrong.error().what.find("no line") != std::string::npos);
  }
}

TEST_CASE("the lessons have figures to step through, each with something to watch") {
  const std::vector<fs::path> all = all_figures();
  CHECK(all.size() >= 4);
  for (const fs::path& program : all) {
    INFO(program);
    const nlohmann::json kept = kept_of(program);
    CHECK(kept["files"][0]["text"] == *read_file(program));
    CHECK(kept["watches"].size() >= 2);
    CHECK(kept["window"]["truncated"] == false);
    // Nothing of the machine that it was recorded on.
    CHECK(kept.dump().find(kRoot.string()) == std::string::npos);
  }
}

TEST_CASE("a kept recording is what its program gives today") {
  const Result<toolchain::Toolkit> toolkit = toolchain::find_toolkit();
  if (!toolkit) {
    WARN("not run: " << toolkit.error().what);
    return;
  }
  const TemporaryFolder cache{"figures"};
  for (const fs::path& program : all_figures()) {
    INFO(program);
    const nlohmann::json kept = kept_of(program);
    if (kept["toolchain"] != toolkit->version) {
      WARN("not run: " << program << " was recorded with nvcc " << kept["toolchain"] << ", this is " << toolkit->version);
      continue;
    }
    const Result<nlohmann::json> today = record_figure(kRoot, program, *toolkit, {cache.path()});
    if (!today) FAIL(today.error().text());
    CHECK(figure_text(*today) == figure_text(kept));
  }
}

TEST_CASE("no line of a blank's solution stands in a figure") {
  constexpr std::size_t kTelling = 12;  // shorter ones, such as a brace, are everybody's
  for (const fs::path& program : all_figures()) {
    const fs::path lesson = program.parent_path().parent_path();
    const Result<std::string> solution = read_file(lesson / "solution.cu"), figure = read_file(program);
    REQUIRE(solution);
    const auto cut = task::cut_at_markers(*solution, "solution.cu");
    REQUIRE(cut);
    for (const task::BlankRegion& region : cut->regions) {
      for (const std::string& line : split_lines(solution->substr(region.begin, region.end - region.begin))) {
        const std::string_view telling = trimmed(line.substr(0, line.find("//")));
        if (telling.size() < kTelling) continue;
        INFO(program << ": " << telling);
        CHECK(figure->find(telling) == std::string::npos);
      }
    }
  }
}
