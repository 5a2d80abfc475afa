#pragma once
// Finding tasks: folders of lessons/ and exercises/ with a manifest in them.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/task/operator_lookup.hpp"
#include "judge/task/task.hpp"

namespace warpbook::task {

/// A folder that holds a manifest; nothing of it is read yet.
struct TaskFolder {
  std::string id;  ///< the folder's name
  TaskKind kind = TaskKind::kLesson;
  std::filesystem::path folder;
};

/// Every task below `root`: lessons/ in the order of their numbers, then exercises/ by name. Folders without a manifest are left out.
std::vector<TaskFolder> list_tasks(const std::filesystem::path& root);

/// The task whose id is `wanted`, or the only one whose number it is ("5", "05") or whose id contains it. The Error lists what there is.
Result<TaskFolder> find_folder(const std::filesystem::path& root, std::string_view wanted);

/// Reads the manifest of a folder and fills the paths in. Solutions of exercises lie under root/solutions/ID. Missing files of a
/// task are not errors here, except its manifest.
Result<Task> read_task(const std::filesystem::path& root, const TaskFolder& folder,
                       const OperatorLookup& operators = registered_operators());

/// A folder whose manifest cannot be read, and why.
struct BrokenTask {
  TaskFolder folder;
  Error error;
};

/// Every task below `root` that can be read, in the order of list_tasks, and those that cannot.
struct ReadTasks {
  std::vector<Task> tasks;
  std::vector<BrokenTask> broken;
};
ReadTasks read_tasks(const std::filesystem::path& root);

/// find_folder, then read_task.
Result<Task> find_task(const std::filesystem::path& root, std::string_view wanted,
                       const OperatorLookup& operators = registered_operators());

/// lesson.xml or exercise.xml.
const char* manifest_name(TaskKind kind);
std::filesystem::path manifest_file(const Task& task);

/// lesson.md or problem.md; with a language other than English lesson.zh.md. It need not exist.
std::string text_name(TaskKind kind, const std::string& language = "en");
std::filesystem::path text_file(const Task& task, const std::string& language = "en");

/// The `.cu` files of a folder of submissions, by name; none when there is no such folder.
std::vector<std::filesystem::path> submissions_in(const std::filesystem::path& folder);

/// Every required task exists and is another one.
Status check_requires(const std::filesystem::path& root, const Task& task);

}  // namespace warpbook::task
