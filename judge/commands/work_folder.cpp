#include "judge/commands/work_folder.hpp"

namespace warpbook::commands {
namespace {

std::string below(const std::filesystem::path& folder, const std::filesystem::path& path) {
  const std::string relative = path.lexically_relative(folder).string();
  return relative.empty() || relative.starts_with("..") ? std::string() : relative;
}

}  // namespace

std::filesystem::path work_file(const Context& context, const task::Task& task) {
  return context.work() / task.id / (task.kind == task::TaskKind::kLesson ? "exercise.cu" : "kernel.cu");
}

std::filesystem::path answers_file(const Context& context, const task::Task& task) { return context.work() / task.id / "answers.md"; }

std::string shown_path(const Context& context, const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::path here = std::filesystem::current_path(ignored);
  const std::filesystem::path absolute = std::filesystem::absolute(path, ignored).lexically_normal();
  if (std::string text = below(here, absolute); !text.empty()) return text;
  if (std::string text = below(context.root, absolute); !text.empty()) return text;
  return path.string();
}

}  // namespace warpbook::commands
