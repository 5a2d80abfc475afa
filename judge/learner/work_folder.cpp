#include "judge/learner/work_folder.hpp"

#include "judge/base/files.hpp"

namespace warpbook::learner {
namespace {

std::string below(const std::filesystem::path& folder, const std::filesystem::path& path) {
  const std::string relative = path.lexically_relative(folder).string();
  return relative.empty() || relative.starts_with("..") ? std::string() : relative;
}

}  // namespace

std::filesystem::path work_file(const Workbook& workbook, const task::Task& task) {
  return workbook.work() / task.id / (task.kind == task::TaskKind::kLesson ? "exercise.cu" : "kernel.cu");
}

std::filesystem::path answers_file(const Workbook& workbook, const task::Task& task) { return workbook.work() / task.id / "answers.md"; }

Result<bool> ensure_work_file(const Workbook& workbook, const task::Task& task) {
  const std::filesystem::path file = work_file(workbook, task);
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return false;
  const Result<std::string> text = read_file(task.starter);
  if (!text) return text.error();
  if (Status ok = write_file(file, *text); !ok) return std::move(ok).error();
  return true;
}

std::string shown_path(const Workbook& workbook, const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::path here = std::filesystem::current_path(ignored);
  const std::filesystem::path absolute = std::filesystem::absolute(path, ignored).lexically_normal();
  if (std::string text = below(here, absolute); !text.empty()) return text;
  if (std::string text = workbook.own.empty() ? "" : below(workbook.own, absolute); !text.empty()) return text;
  if (std::string text = below(workbook.root, absolute); !text.empty()) return text;
  return path.string();
}

}  // namespace warpbook::learner
