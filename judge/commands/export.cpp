// judge export: a submission and cases as a CUDA program of its own, for a profiler, a debugger or compute-sanitizer on a machine with a
// GPU.
#include <fmt/format.h>

#include <algorithm>
#include <cxxopts.hpp>

#include "judge/base/files.hpp"
#include "judge/commands/command.hpp"
#include "judge/commands/grading.hpp"
#include "judge/commands/submitted.hpp"
#include "judge/grade/case_file.hpp"

namespace warpbook::commands {
namespace {

namespace fs = std::filesystem;

/// Of the inputs unless --seed is given: a hidden input never leaves the judge, and the same program comes out again.
constexpr std::uint64_t kSeed = 1;

cxxopts::Options describe_export() {
  cxxopts::Options words("judge export",
                         "Writes work/TASK/exercise.cu, or the file given, as a CUDA program that launches it on each case, for ncu,\n"
                         "compute-sanitizer or a debugger: DIR/main.cu, DIR/submission.cu and a file for each case.");
  words.add_options()("to", "the folder; it is made when it is not there", cxxopts::value<std::string>())(
      "case", "only this case, once or more", cxxopts::value<std::vector<std::string>>())(
      "seed", "of the inputs", cxxopts::value<std::uint64_t>()->default_value(std::to_string(kSeed)))("solution", "the reference solution")(
      "author", "FILE is an author's (of wrong/ or correct/)")("file", "", cxxopts::value<std::string>());
  words.parse_positional({"task", "file"});
  words.positional_help("TASK [FILE] --to DIR");
  return words;
}

bool is_wanted(const task::Case& c, const std::vector<std::string>& only) {
  // A real GPU cannot be told to fail.
  if (c.fail != task::FailingCall::kNone) return false;
  return only.empty() || std::find(only.begin(), only.end(), c.name) != only.end();
}

/// Writes the files of the cases; their names.
Result<std::vector<std::string>> write_cases(const task::Task& task, const std::vector<std::string>& only, std::uint64_t seed,
                                             const fs::path& folder) {
  std::vector<std::string> names;
  for (const task::Case& c : task.cases) {
    if (!is_wanted(c, only)) continue;
    const Result<grade::CaseData> data = grade::prepare(task, c, {seed, false, 0});
    if (!data) return data.error();
    names.push_back(c.name + ".case");
    if (Status ok = write_file(folder / names.back(), grade::case_file(*data)); !ok) return std::move(ok).error();
  }
  return names;
}

}  // namespace

Exit export_program(const Context& context, const Arguments& arguments) {
  cxxopts::Options words = describe_export();
  const TaskCommand command = begin_task_command(context, "export", words, arguments);
  if (!command.task) return command.exit;
  const task::Task& task = *command.task;
  const cxxopts::ParseResult& parsed = *command.parsed;
  if (parsed.count("to") == 0 || parsed["to"].as<std::string>().empty()) return usage({"--to DIR is missing: the folder to write to"});
  const fs::path folder = parsed["to"].as<std::string>();
  const auto only = parsed.count("case") > 0 ? parsed["case"].as<std::vector<std::string>>() : std::vector<std::string>{};
  if (Status ok = check_cases(task, only); !ok) return usage(ok.error());
  if (std::none_of(task.cases.begin(), task.cases.end(), [&](const task::Case& c) { return is_wanted(c, only); }))
    return usage({"no case is left: in those named a call of the runtime fails, which no GPU does; expected another --case"});
  const Result<Submitted> submitted = read_submitted(context, task, parsed);
  if (!submitted) return usage(submitted.error());
  const auto seed = parsed["seed"].as<std::uint64_t>();
  const Result<std::string> program = grade::case_program(
      task, "submission.cu",
      fmt::format("{}, {}, seed {}: one launch a case. Made by judge export.", task.id, submitted->submission.shown_name, seed));
  if (!program) return could_not(program.error());

  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return usage({fmt::format("the folder cannot be made: {}", failed.message()), Where{folder.string()}});
  if (Status ok = write_file(folder / "submission.cu", submitted->submission.text); !ok) return could_not(ok.error());
  if (Status ok = write_file(folder / "main.cu", *program); !ok) return could_not(ok.error());
  const Result<std::vector<std::string>> cases = write_cases(task, only, seed, folder);
  if (!cases) return could_not(cases.error());
  const std::string root = fs::absolute(context.root).lexically_normal().string();
  say(
      fmt::format("{}: main.cu, submission.cu and {} case{}\n"
                  "  nvcc -std=c++17 -O3 -lineinfo -arch=native -I {} -o {}/program {}/main.cu\n"
                  "  ncu {}/program {}/{}\n",
                  folder.string(), cases->size(), cases->size() == 1 ? "" : "s", root, folder.string(), folder.string(), folder.string(),
                  folder.string(), cases->front()));
  return Exit::kAccepted;
}

}  // namespace warpbook::commands
