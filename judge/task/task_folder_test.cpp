#include "judge/task/task_folder.hpp"

#include <unistd.h>

#include "judge/task/task_fixture.hpp"

using namespace warpbook;
using namespace warpbook::task;
namespace fs = std::filesystem;

namespace {

/// A workbook with empty manifests for finding, and one real one.
struct Workbook {
  fs::path root = fs::temp_directory_path() / ("warpbook 任务 folder " + std::to_string(::getpid()));
  Workbook() {
    fs::remove_all(root);
    for (const char* lesson : {"02-block-reduce", "06-safe-softmax", "12-shared-row"})
      REQUIRE(write_file(root / "lessons" / lesson / "lesson.xml", "<lesson/>"));
    REQUIRE(write_file(root / "lessons" / "05-layernorm" / "lesson.xml", example_manifest()));
    REQUIRE(write_file(root / "lessons" / "draft" / "lesson.md", "no manifest"));
    REQUIRE(write_file(root / "lessons" / "README.md", "not a folder"));
    REQUIRE(write_file(root / "exercises" / "row-softmax" / "exercise.xml", "<exercise/>"));
  }
  ~Workbook() { fs::remove_all(root); }
};

std::string found(const Workbook& workbook, const std::string& wanted) {
  const auto folder = find_folder(workbook.root, wanted);
  return folder ? folder->id : folder.error().what;
}

}  // namespace

TEST_CASE("tasks are listed in order, lessons first") {
  const Workbook workbook;
  std::vector<std::string> ids;
  for (const TaskFolder& task : list_tasks(workbook.root)) ids.push_back(task.id);
  CHECK(ids == std::vector<std::string>{"02-block-reduce", "05-layernorm", "06-safe-softmax", "12-shared-row", "row-softmax"});
  CHECK(list_tasks(workbook.root / "absent").empty());
}

TEST_CASE("a name without its number is exact, whatever other names hold it") {
  const Workbook workbook;
  REQUIRE(write_file(workbook.root / "lessons" / "07-layernorm-two-pass" / "lesson.xml", "<lesson/>"));
  CHECK(found(workbook, "layernorm") == "05-layernorm");
  CHECK(found(workbook, "two-pass") == "07-layernorm-two-pass");
  CHECK(found(workbook, "layer") == "'layer' fits several tasks: 05-layernorm, 07-layernorm-two-pass");
}

TEST_CASE("a task is found by its id, its number or any part that fits only one") {
  const Workbook workbook;
  CHECK(found(workbook, "05-layernorm") == "05-layernorm");
  CHECK(found(workbook, "05") == "05-layernorm");
  CHECK(found(workbook, "5") == "05-layernorm");
  CHECK(found(workbook, "2") == "02-block-reduce");
  CHECK(found(workbook, "layer") == "05-layernorm");
  CHECK(found(workbook, "row-softmax") == "row-softmax");
  CHECK(found(workbook, "softmax") == "'softmax' fits several tasks: 06-safe-softmax, row-softmax");
  CHECK(found(workbook, "layernrom") ==
        "no task 'layernrom', expected one of 02-block-reduce, 05-layernorm, 06-safe-softmax, 12-shared-row, row-softmax");
  CHECK(found(workbook, "05-layernrom").find("did you mean '05-layernorm'?") != std::string::npos);
  CHECK(found(workbook, "").find("no task ''") == 0);
  CHECK(found(workbook, "../lessons").find("no task '../lessons'") == 0);
  CHECK(find_folder(workbook.root / "absent", "05").error().what.find("no tasks found") == 0);
}

TEST_CASE("a task knows its files") {
  const Workbook workbook;
  const auto task = find_task(workbook.root, "05", fixture_operators());
  REQUIRE(task);
  CHECK(task->folder == workbook.root / "lessons" / "05-layernorm");
  CHECK(task->starter == task->folder / "exercise.cu");
  CHECK(task->solution == task->folder / "solution.cu");
  CHECK(task->wrong_folder == task->folder / "wrong");
  CHECK(check_requires(workbook.root, *task));
  Task lost = *task;
  lost.requires_ids = {"03-block-reduce"};
  CHECK(check_requires(workbook.root, lost).error().what.find("requires '03-block-reduce', which is no task") == 0);

  std::string exercise = R"(<exercise id="row-softmax" level="3" operator="layernorm" launch="launch"><title>T</title>
  <cases><normal name="a" rows="1" cols="1" about="one"/><boundary name="b" rows="1" cols="1" about="one"/></cases>
  <efficiency><passes tensor="x" read="1"/></efficiency></exercise>)";
  REQUIRE(write_file(workbook.root / "exercises" / "row-softmax" / "exercise.xml", exercise));
  const auto problem = find_task(workbook.root, "row", fixture_operators());
  INFO((problem ? std::string() : problem.error().text()));
  CHECK_FALSE(problem);  // 12-shared-row has "row" in its name too
  const auto softmax = find_task(workbook.root, "row-soft", fixture_operators());
  REQUIRE(softmax);
  CHECK(softmax->starter == softmax->folder / "starter.cu");
  CHECK(softmax->solution == workbook.root / "solutions" / "row-softmax" / "solution.cu");
}

TEST_CASE("errors of a manifest name its path") {
  const Workbook workbook;
  const auto task = find_task(workbook.root, "06", fixture_operators());
  REQUIRE_FALSE(task);
  CHECK(task.error().where.file == (workbook.root / "lessons" / "06-safe-softmax" / "lesson.xml").string());
  CHECK(task.error().where.line == 1);
  REQUIRE(write_file(workbook.root / "lessons" / "06-safe-softmax" / "lesson.xml", std::string(2 << 20, ' ')));
  CHECK(find_task(workbook.root, "06", fixture_operators()).error().what == "is 2097152 bytes long, at most 1048576 are read");
}
