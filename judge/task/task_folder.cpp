#include "judge/task/task_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "judge/base/files.hpp"
#include "judge/task/manifest.hpp"
#include "judge/task/suggest.hpp"

namespace warpbook::task {
namespace fs = std::filesystem;
namespace {

std::vector<TaskFolder> list_kind(const fs::path& folder, TaskKind kind) {
  std::vector<TaskFolder> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (fs::exists(entry->path() / manifest_name(kind), ignored)) found.push_back({entry->path().filename().string(), kind, entry->path()});
  }
  std::sort(found.begin(), found.end(), [](const TaskFolder& a, const TaskFolder& b) { return a.id < b.id; });
  return found;
}

std::string number_of(std::string_view id) {
  const std::size_t end = std::min(id.find_first_not_of("0123456789"), id.size());
  const std::size_t first = std::min(id.find_first_not_of('0'), end);
  return std::string(id.substr(first, end - first));
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

std::vector<std::string> ids_of(const std::vector<TaskFolder>& tasks) {
  std::vector<std::string> ids;
  for (const TaskFolder& task : tasks) ids.push_back(task.id);
  return ids;
}

}  // namespace

const char* manifest_name(TaskKind kind) { return kind == TaskKind::kLesson ? "lesson.xml" : "exercise.xml"; }

fs::path manifest_file(const Task& task) { return task.folder / manifest_name(task.kind); }

std::string text_name(TaskKind kind, const std::string& language) {
  const std::string stem = kind == TaskKind::kLesson ? "lesson" : "problem";
  return language == "en" ? fmt::format("{}.md", stem) : fmt::format("{}.{}.md", stem, language);
}

fs::path text_file(const Task& task, const std::string& language) { return task.folder / text_name(task.kind, language); }

std::vector<fs::path> submissions_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& item : fs::directory_iterator(folder, ignored))
    if (item.path().extension() == ".cu") files.push_back(item.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<TaskFolder> list_tasks(const fs::path& root) {
  std::vector<TaskFolder> tasks = list_kind(root / "lessons", TaskKind::kLesson);
  const std::vector<TaskFolder> exercises = list_kind(root / "exercises", TaskKind::kExercise);
  tasks.insert(tasks.end(), exercises.begin(), exercises.end());
  return tasks;
}

Result<TaskFolder> find_folder(const fs::path& root, std::string_view wanted) {
  const std::vector<TaskFolder> tasks = list_tasks(root);
  if (tasks.empty()) return Error{"no tasks found, expected lessons/ or exercises/ here", Where{root.string()}};
  std::vector<TaskFolder> matches;
  const auto collect = [&](const auto& fits) {
    if (matches.empty()) std::copy_if(tasks.begin(), tasks.end(), std::back_inserter(matches), fits);
  };
  // From the strictest reading to the loosest; the first that fits anything decides.
  collect([&](const TaskFolder& task) { return task.id == wanted; });
  if (is_number(wanted))
    collect(
        [&](const TaskFolder& task) { return is_number(task.id.substr(0, task.id.find('-'))) && number_of(task.id) == number_of(wanted); });
  // "layernorm" is 05-layernorm although 07-layernorm-two-pass holds the word, too.
  collect([&](const TaskFolder& task) {
    const std::size_t dash = task.id.find('-');
    return dash != std::string::npos && is_number(task.id.substr(0, dash)) && task.id.substr(dash + 1) == wanted;
  });
  if (!wanted.empty()) collect([&](const TaskFolder& task) { return task.id.find(wanted) != std::string::npos; });
  if (matches.size() == 1) return matches.front();
  if (matches.empty()) return Error{fmt::format("no task '{}', {}", wanted, expected_one_of(wanted, ids_of(tasks)))};
  return Error{fmt::format("'{}' fits several tasks: {}", wanted, fmt::join(ids_of(matches), ", "))};
}

Result<Task> read_task(const fs::path& root, const TaskFolder& folder, const OperatorLookup& operators) {
  const fs::path manifest = folder.folder / manifest_name(folder.kind);
  const auto text = read_file(manifest);
  if (!text) return text.error();
  auto task = read_manifest(*text, manifest.string(), folder.id, operators);
  if (!task) return task;
  if (task->kind != folder.kind) {
    const char* expected = folder.kind == TaskKind::kLesson ? "lesson" : "exercise";
    return Error{fmt::format("the root element is not <{}>, which is expected in {}", expected, manifest_name(folder.kind)),
                 Where{manifest.string(), 1, 1}};
  }
  const bool lesson = folder.kind == TaskKind::kLesson;
  const fs::path solutions = lesson ? folder.folder : root / "solutions" / folder.id;
  task->folder = folder.folder;
  task->starter = folder.folder / (lesson ? "exercise.cu" : "starter.cu");
  task->solution = solutions / "solution.cu";
  task->wrong_folder = solutions / "wrong";
  task->correct_folder = solutions / "correct";
  return task;
}

Result<Task> find_task(const fs::path& root, std::string_view wanted, const OperatorLookup& operators) {
  const auto folder = find_folder(root, wanted);
  if (!folder) return folder.error();
  return read_task(root, *folder, operators);
}

ReadTasks read_tasks(const fs::path& root) {
  ReadTasks read;
  for (const TaskFolder& folder : list_tasks(root)) {
    Result<Task> one = read_task(root, folder);
    if (one) read.tasks.push_back(std::move(*one));
    else read.broken.push_back({folder, one.error()});
  }
  return read;
}

Status check_requires(const fs::path& root, const Task& task) {
  const auto ids = ids_of(list_tasks(root));
  const Where where{(task.folder / manifest_name(task.kind)).string()};
  for (const std::string& id : task.requires_ids) {
    if (id == task.id) return Error{fmt::format("'{}' requires itself", id), where};
    if (std::find(ids.begin(), ids.end(), id) == ids.end())
      return Error{fmt::format("requires '{}', which is no task, {}", id, expected_one_of(id, ids)), where};
  }
  return Done{};
}

}  // namespace warpbook::task
