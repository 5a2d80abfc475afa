// The author's gate on the terminal: every check of every task, the kill matrix, and `N passed, N failed` as the last line.
#include "judge/grade/verify.hpp"

#include <fmt/format.h>

#include <cxxopts.hpp>

#include "judge/base/files.hpp"
#include "judge/commands/command.hpp"
#include "judge/commands/grading.hpp"
#include "judge/commands/verify_diagnosis.hpp"
#include "judge/grade/matrix_file.hpp"

namespace warpbook::commands {
namespace {

/// The same data in every run, so that a declared list of cases stays true; --seed tries others.
constexpr std::uint64_t kVerifySeed = 1;

std::string cell(grade::Verdict verdict) { return verdict == grade::Verdict::kAccepted ? "." : std::string(grade::code_of(verdict)); }

std::string matrix_text(const grade::KillMatrix& matrix, const report::Style& style) {
  std::size_t widest = 0;
  for (const auto& row : matrix.rows) widest = std::max(widest, row.name.size());
  std::string out;
  for (std::size_t i = 0; i < matrix.cases.size(); ++i) out += fmt::format("  {:>3} {}\n", i + 1, matrix.cases[i]);
  out += "  " + std::string(widest, ' ');
  for (std::size_t i = 0; i < matrix.cases.size(); ++i) out += fmt::format(" {:>4}", i + 1);
  out += "\n";
  for (const auto& row : matrix.rows) {
    out += fmt::format("  {:{}}", row.name, widest);
    for (const grade::Verdict v : row.verdicts) {
      const std::string text = fmt::format(" {:>4}", cell(v));
      out += v == grade::Verdict::kAccepted ? style.paint(report::Ink::kDim, text) : style.paint(report::Ink::kRed, text);
    }
    if (row.medal_lost) out += style.paint(report::Ink::kRed, "  medal lost");
    out += "\n";
  }
  return out;
}

void print(const grade::Verification& v, const report::Style& style, bool all) {
  say(style.paint(report::Ink::kBold, v.task_id) + "\n");
  for (const grade::Check& c : v.checks) {
    if (c.passed && !all) continue;
    say(fmt::format("  {} {}\n", c.passed ? style.paint(report::Ink::kGreen, "ok  ") : style.paint(report::Ink::kRed, "FAIL"), c.what));
    if (!c.detail.empty()) say(report::wrap(c.detail, style.width, 7) + "\n");
  }
  say(matrix_text(v.matrix, style));
}

/// After this the check of the file holds.
Status write_matrix(const task::Task& task, grade::Verification& v) {
  if (Status ok = write_file(grade::matrix_file(task), v.readme); !ok) return ok;
  for (grade::Check& c : v.checks)
    if (c.what == grade::kMatrixCheck) c = {c.what, true, {}};
  return Done{};
}

}  // namespace

Exit verify(const Context& context, const Arguments& arguments) {
  cxxopts::Options words("judge verify", "The author's gate: solutions pass, wrong submissions fail as declared, every case kills one.");
  GradingWords grading;
  grading.declare(words);
  words.add_options()("json", "write checks and verdicts as JSON", cxxopts::value<std::string>())("all", "show the checks that passed too")(
      "diagnosis", "try the naming of mistakes on the files of this folder, DIR/TASK/*.cu", cxxopts::value<std::string>())(
      "write-matrix", "write the kill matrix into the README of each task's folder")(
      "no-cache", "run everything again, also what this judge has run before")("help", "this text")(
      "task", "tasks; all when none is given", cxxopts::value<std::vector<std::string>>());
  words.parse_positional({"task"});
  words.positional_help("[TASK...]");
  Result<cxxopts::ParseResult> parsed = parse(words, arguments);
  if (!parsed) return usage(parsed.error());
  if (parsed->count("help") > 0) return help(words);

  if (Status ok = check_words(*parsed); !ok) return usage(ok.error());

  Result<std::vector<task::Task>> tasks =
      find_tasks(context, parsed->count("task") > 0 ? (*parsed)["task"].as<std::vector<std::string>>() : Arguments{});
  if (!tasks) return usage(tasks.error());
  Result<grade::GradeOptions> options = grading.options(context, *parsed, kVerifySeed);
  if (!options) return could_not(options.error());
  Progress progress(context.err);
  options->progress = [&](int done, int total, const std::string& what) { progress.show(done, total, what); };

  if (parsed->count("diagnosis") > 0)
    return verify_diagnosis(context, *tasks, *options, (*parsed)["diagnosis"].as<std::string>(), parsed->count("all") > 0);

  grade::VerifyOptions how;
  how.keep_results = parsed->count("no-cache") == 0;
  // The file holds what the gate's own seed gives, in every order that it takes.
  const bool as_written = options->seed == kVerifySeed && !options->schedule;
  const bool write = parsed->count("write-matrix") > 0;
  if (write && (!as_written || !options->only_cases.empty() || options->device != grade::DeviceKind::kVirtual))
    return usage({"--write-matrix needs every case on the virtual GPU, without --seed and --schedule"});
  how.compare_matrix = as_written;

  int passed = 0, failed = 0;
  nlohmann::json report = nlohmann::json::array();
  for (const task::Task& task : *tasks) {
    grade::Verification v = grade::verify(task, *options, how);
    progress.clear();
    if (run::interrupted()) return could_not({"interrupted"});
    if (write) {
      if (Status ok = write_matrix(task, v); !ok) return could_not(ok.error());
    }
    report.push_back(grade::to_json(v));
    print(v, context.out, parsed->count("all") > 0);
    for (const grade::Check& c : v.checks) ++(c.passed ? passed : failed);
  }
  if (parsed->count("json") > 0)
    if (Status ok = write_file((*parsed)["json"].as<std::string>(), report.dump(1) + "\n"); !ok) return could_not(ok.error());
  say(fmt::format("\n{} passed, {} failed\n", passed, failed));
  return failed == 0 ? Exit::kAccepted : Exit::kNotAccepted;
}

}  // namespace warpbook::commands
