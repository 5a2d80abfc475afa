#include "judge/commands/answers_file.hpp"

#include "judge/base/files.hpp"
#include "judge/commands/grading.hpp"
#include "judge/commands/work_folder.hpp"

namespace warpbook::commands {
namespace {
/// Variants need not be secret, only different; few digits are easier to read in the file.
constexpr std::uint64_t kVariants = 1'000'000;
}  // namespace

Result<std::filesystem::path> ensure_answer_sheet(const Context& context, const task::Task& task) {
  const std::filesystem::path file = answers_file(context, task);
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return file;
  if (Status ok = write_file(file, task::new_answer_sheet(task, random_seed() % kVariants, context.language)); !ok)
    return std::move(ok).error();
  return file;
}

Result<task::AnswerSheet> read_answer_sheet(const Context& context, const task::Task& task) {
  const std::filesystem::path file = answers_file(context, task);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return task::AnswerSheet{};
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  return task::read_answers(*text, shown_path(context, file), task);
}

}  // namespace warpbook::commands
