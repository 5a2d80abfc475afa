#include "judge/commands/bench_profile.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

#include "judge/base/files.hpp"
#include "judge/gpu/ncu_figures.hpp"
#include "judge/grade/build.hpp"
#include "judge/grade/case_file.hpp"
#include "judge/run/process.hpp"
#include "judge/toolchain/scratch.hpp"

namespace warpbook::commands {
namespace {

constexpr std::chrono::minutes kNcuPatience{5}, kNvccPatience{3};
constexpr const char* kInstalled = "/opt/nvidia/nsight-compute";
constexpr int kNameWidth = 16, kValueWidth = 32;

bool is_program(const std::filesystem::path& file) { return ::access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file); }

Result<run::Outcome> run_tool(std::vector<std::string> argv, const std::filesystem::path& folder, std::chrono::milliseconds patience) {
  run::Command command;
  command.argv = std::move(argv);
  command.folder = folder.string();
  command.limits.wall = patience;
  command.limits.output = 8u << 20;
  return run::run(command);
}

std::string render_profile(const task::Case& c, const std::vector<gpu::ProfiledLaunch>& launches, std::uint64_t bytes,
                           const report::Style& style) {
  std::string text = fmt::format("\n  {} under Nsight Compute, one launch:\n", c.name);
  for (const gpu::ProfiledLaunch& launch : launches) {
    text += "  " + style.paint(report::Ink::kBold, launch.kernel) + "\n";
    // Of several kernels none moves all that must be moved by itself.
    for (const gpu::ProfileFigure& f : gpu::figures_of(launch, launches.size() == 1 ? bytes : 0))
      text += "    " + report::pad(f.name, kNameWidth) + report::pad(f.value, kValueWidth) + f.sentence + "\n";
  }
  return text;
}

}  // namespace

Result<std::filesystem::path> find_ncu(const std::filesystem::path& toolkit_root) {
  std::vector<std::filesystem::path> places;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) places.emplace_back(std::filesystem::path(folder) / "ncu");
  places.push_back(toolkit_root / "bin" / "ncu");
  std::error_code missing;
  std::set<std::filesystem::path, std::greater<>> versions;  // the newest first
  for (std::filesystem::directory_iterator it(kInstalled, missing), end; !missing && it != end; it.increment(missing))
    versions.insert(it->path() / "ncu");
  places.insert(places.end(), versions.begin(), versions.end());
  const auto found = std::find_if(places.begin(), places.end(), is_program);
  if (found != places.end()) return *found;
  return Error{fmt::format("--ncu: Nsight Compute (ncu) was not found in PATH, in {} or in {}; it comes with the CUDA toolkit",
                           (toolkit_root / "bin").string(), kInstalled)};
}

Result<std::string> profile_case(const task::Task& task, const task::Case& c, const grade::Submission& submission,
                                 const grade::GradeOptions& options, const std::filesystem::path& ncu, std::uint64_t bytes,
                                 const report::Style& style) {
  const Result<toolchain::Scratch> scratch = toolchain::Scratch::make(options.cache);
  if (!scratch) return scratch.error();
  const std::filesystem::path folder = std::filesystem::absolute(scratch->folder());
  const Result<std::string> program = grade::case_program(task, "submission.cu", fmt::format("{}, {}: for ncu", task.id, c.name));
  if (!program) return program.error();
  const Result<grade::CaseData> data = grade::prepare(task, c, {options.seed, true, 0, true});
  if (!data) return data.error();
  const Result<toolchain::CompileOptions> compiling = grade::compile_options(options);
  if (!compiling) return compiling.error();
  for (const auto& [name, text] : {std::pair<const char*, std::string>{"submission.cu", submission.text},
                                   {"main.cu", *program},
                                   {"data.case", grade::case_file(*data)}})
    if (Status ok = write_file(folder / name, text); !ok) return ok.error();

  std::vector<std::string> words = {
      options.toolkit.nvcc.string(), "-std=c++17", "-O3", "-lineinfo", "-arch=native", "-o", "program", "main.cu"};
  for (const auto& include : compiling->include) words.push_back("-I" + std::filesystem::absolute(include).string());
  const Result<run::Outcome> built = run_tool(words, folder, kNvccPatience);
  if (!built) return built.error();
  if (!built->ok()) return Error{fmt::format("the program for ncu does not compile: {}{}", built->out, built->err)};

  words = gpu::ncu_words();
  words.insert(words.begin(), ncu.string());
  words.insert(words.end(), {"./program", "data.case"});
  const Result<run::Outcome> watched = run_tool(words, folder, kNcuPatience);
  if (!watched) return watched.error();
  const Result<std::vector<gpu::ProfiledLaunch>> launches = gpu::read_ncu(watched->out + watched->err);
  if (!launches) return launches.error();
  return render_profile(c, *launches, bytes, style);
}

}  // namespace warpbook::commands
