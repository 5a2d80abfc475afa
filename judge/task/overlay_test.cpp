#include "judge/task/overlay.hpp"

#include <filesystem>

#include "judge/task/task_fixture.hpp"
#include "judge/tests/temporary_folder.hpp"

using namespace warpbook;
using namespace warpbook::task;

namespace {

struct Overlay {
  TemporaryFolder folder{"overlay"};
  Overlay() { std::filesystem::create_directories(folder / "05-layernorm"); }
  Result<std::vector<Case>> with(const std::string& text) const {
    REQUIRE(write_file(folder / "05-layernorm" / "cases.xml", text));
    return read_overlay(folder.path(), example_task(), fixture_operators());
  }
};

}  // namespace

TEST_CASE("an overlay adds cases of the manifest's own form, of one kind only too") {
  const Overlay overlay;
  CHECK(read_overlay(overlay.folder.path(), example_task(), fixture_operators()).value().empty());
  const auto cases = overlay.with("<cases><boundary name=\"late\" rows=\"2\" cols=\"7\" about=\"rows of seven\"/></cases>");
  REQUIRE(cases);
  REQUIRE(cases->size() == 1);
  CHECK(cases->front().name == "late");
  CHECK(cases->front().cols == 7);
}

TEST_CASE("an overlay that is missing, damaged or repeats a case of the task is refused with its place") {
  const Overlay overlay;
  CHECK(read_overlay(overlay.folder / "nowhere", example_task(), fixture_operators()).error().what == "is no folder of further cases");
  const auto root = overlay.with("<lesson/>");
  REQUIRE_FALSE(root);
  CHECK(root.error().what == "unknown root element <lesson>, expected <cases>");
  const auto same = overlay.with("<cases>\n <normal name=\"plain\" rows=\"2\" cols=\"7\" about=\"again\"/></cases>");
  REQUIRE_FALSE(same);
  CHECK(same.error().what == "the task has a case named 'plain' too, expected another name");
  CHECK(same.error().where.line == 2);
  CHECK(same.error().where.file.ends_with("cases.xml"));
}
