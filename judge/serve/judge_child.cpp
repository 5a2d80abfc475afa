#include "judge/serve/judge_child.hpp"

#include <utility>

#include "judge/base/files.hpp"

namespace warpbook::serve {

Result<JudgeChild> judge_child(const learner::Workbook& workbook, const std::string& verb, const std::string& task, const std::string& file,
                               const std::string& text) {
  Result<toolchain::Scratch> folder = toolchain::Scratch::make(workbook.cache());
  if (!folder) return std::move(folder).error();
  if (Status ok = write_file(folder->folder() / file, text); !ok) return std::move(ok).error();
  run::Command command;
  command.argv = {(workbook.program_folder / "judge").string(), verb, task, file, "--lang", workbook.language};
  command.folder = folder->folder().string();
  command.set_environment = {{"WARPBOOK_HOME", std::filesystem::absolute(workbook.root).string()}, {"NO_COLOR", "1"}};
  if (!workbook.own.empty()) {
    // Judging takes all the processors there are; whoever reads a page meanwhile should not notice.
    command.argv.insert(command.argv.begin(), {"nice", "-n", "10"});
    command.set_environment["WARPBOOK_WORK"] = std::filesystem::absolute(workbook.own).string();
    // The database is the server's alone.
    for (const char* name : {"PGPASSWORD", "PGPASSFILE", "PGSERVICEFILE"}) command.set_environment[name] = "";
  }
  return JudgeChild{std::move(*folder), std::move(command)};
}

}  // namespace warpbook::serve
