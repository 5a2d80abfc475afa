// judge bench: how fast a file is on a real GPU, beside the reference and the best copy of as many bytes. It is judged first, as `judge
// run` would: of a wrong answer nobody needs the time.
#include <fmt/format.h>

#include <algorithm>
#include <cxxopts.hpp>

#include "judge/base/files.hpp"
#include "judge/commands/bench_profile.hpp"
#include "judge/commands/bench_report.hpp"
#include "judge/commands/command.hpp"
#include "judge/commands/grading.hpp"
#include "judge/commands/submitted.hpp"
#include "judge/gpu/copies.hpp"
#include "judge/gpu/measure_case.hpp"
#include "judge/grade/build.hpp"
#include "judge/grade/grade.hpp"
#include "judge/grade/pool.hpp"
#include "judge/grade/score.hpp"
#include "judge/report/terminal.hpp"
#include "judge/task/splice.hpp"

namespace warpbook::commands {
namespace {

constexpr double kSecondsACase = 4, kMostSeconds = 600;

cxxopts::Options describe_bench(GradingWords& grading) {
  cxxopts::Options words("judge bench",
                         "Measures work/TASK/exercise.cu, or the file given, on a real GPU: time, GB/s, the share of the best copy of as\n"
                         "many bytes, and how it compares with the reference solution. The normal cases, at their shapes for a GPU.");
  grading.declare(words);
  words.add_options()("seconds", "of measuring, for each case", cxxopts::value<double>()->default_value(fmt::format("{}", kSecondsACase)))(
      "json", "everything, with each single time, as JSON", cxxopts::value<std::string>())(
      "ncu", "also one launch of the slowest case under Nsight Compute, as eight figures to act on")(
      "solution", "the reference solution, by itself")("author", "FILE is an author's (of wrong/ or correct/)")(
      "file", "", cxxopts::value<std::string>());
  words.parse_positional({"task", "file"});
  words.positional_help("TASK [FILE]");
  return words;
}

Status check_bench_words(const cxxopts::ParseResult& parsed) {
  if (Status ok = check_words(parsed); !ok) return ok;
  if (parsed["device"].as<std::string>() == "vgpu")
    return Error{"--device vgpu: the virtual GPU has no time; judge run --meters counts what a kernel reads and writes there"};
  const auto seconds = parsed["seconds"].as<double>();
  if (!(seconds > 0 && seconds <= kMostSeconds))
    return Error{fmt::format("--seconds is {}, expected more than 0 and at most {}", seconds, kMostSeconds)};
  return Done{};
}

/// The cases that are measured: those named, or the normal ones.
std::vector<const task::Case*> measured_cases(const task::Task& task, const std::vector<std::string>& only) {
  std::vector<const task::Case*> cases;
  for (const task::Case& c : task.cases) {
    const bool named = std::find(only.begin(), only.end(), c.name) != only.end();
    // A real GPU cannot be told to fail.
    if (c.fail == task::FailingCall::kNone && (named || (only.empty() && c.kind == task::CaseKind::kNormal))) cases.push_back(&c);
  }
  return cases;
}

/// The library of the reference solution.
Result<std::filesystem::path> build_reference(const Context& context, const task::Task& task, const grade::GradeOptions& options) {
  Result<std::string> text = task::read_submission(task.solution);
  if (!text) return std::move(text).error();
  grade::Submission reference;
  reference.shown_name = task.solution.lexically_relative(context.root).string();
  reference.text = std::move(*text);
  grade::Built built = grade::build_code(task, reference, options);
  if (!built.artifact) return Error{fmt::format("the reference solution does not compile: {}", built.result.message)};
  return built.artifact->library;
}

gpu::Measurement measured(const task::Task& task, const task::Case& c, const gpu::MeasureOptions& options) {
  gpu::Measurement result;
  result.case_name = c.name;
  const auto limit = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * gpu::longest_measurement(options.seconds)));
  // A process of its own: this one must be able to fork, and CUDA survives no fork.
  const auto job = [&](int) {
    return gpu::to_json(gpu::measure_case(task, c, options)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  grade::run_pool(1, {1, limit}, job, [&](int, const grade::JobEnd& end) {
    if (end.interrupted) result.failed = "interrupted";
    else if (end.timed_out) result.failed = fmt::format("the measurement did not end within {} s", limit.count() / 1000);
    else if (!end.ok) result.failed = fmt::format("the measuring process ended by signal {}", end.signal);
    if (!result.failed.empty()) return;
    Result<gpu::Measurement> read = gpu::measurement_from_text(end.text);
    if (read) result = std::move(*read);
    else result.failed = read.error().what;
  });
  return result;
}

Exit exit_of(const std::vector<BenchCase>& cases) {
  using gpu::StatementKind;
  const auto any = [&](StatementKind kind) {
    return std::any_of(cases.begin(), cases.end(), [&](const BenchCase& c) { return c.statement.kind == kind; });
  };
  if (any(StatementKind::kWrong) || any(StatementKind::kNotAccepted)) return Exit::kNotAccepted;
  return any(StatementKind::kNotMeasurable) || any(StatementKind::kFailed) ? Exit::kCouldNot : Exit::kAccepted;
}

/// Where a profile is worth most: the case with the smallest share of the ceiling, or else the one with the most bytes.
std::size_t slowest_of(const std::vector<BenchCase>& cases) {
  std::size_t slowest = 0;
  const auto worse = [](const BenchCase& a, const BenchCase& b) {
    const double of_a = a.statement.share.value_or(2), of_b = b.statement.share.value_or(2);
    return of_a != of_b ? of_a < of_b : a.measurement.bytes > b.measurement.bytes;
  };
  for (std::size_t i = 1; i < cases.size(); ++i)
    if (worse(cases[i], cases[slowest])) slowest = i;
  return slowest;
}

/// An open problem's medal is that of its slowest case, once all normal cases are measured. In words, empty for lessons.
std::string give_medal(const task::Task& task, const std::vector<BenchCase>& cases, bool all, grade::SubmissionResult& judged) {
  if (task.kind != task::TaskKind::kExercise) return {};
  if (!all) return "  medal: not decided, for that all normal cases must be measured\n";
  const BenchCase* const least = least_share(cases);
  if (least == nullptr)
    return "  medal: not decided, for that all normal cases must be measured and one must have a share of the ceiling\n";
  grade::judge_share(*least->statement.share, judged);
  judged.medal_reason += fmt::format("; its slowest case is {}", least->measurement.case_name);
  return fmt::format("  medal: {}: {}\n", grade::name_of(judged.medal), judged.medal_reason);
}

}  // namespace

Exit bench(const Context& context, const Arguments& arguments) {
  GradingWords grading;
  cxxopts::Options words = describe_bench(grading);
  const TaskCommand command = begin_task_command(context, "bench", words, arguments);
  if (!command.task) return command.exit;
  const task::Task& task = *command.task;
  const cxxopts::ParseResult& parsed = *command.parsed;
  if (Status ok = check_bench_words(parsed); !ok) return usage(ok.error());
  const auto only = parsed.count("case") > 0 ? parsed["case"].as<std::vector<std::string>>() : std::vector<std::string>{};
  if (Status ok = check_cases(task, only); !ok) return usage(ok.error());
  const std::vector<const task::Case*> cases = measured_cases(task, only);
  if (cases.empty()) return usage({"no case is left to measure: in those named a call of the runtime fails, which no GPU does"});
  if (Status ok = check_report_file(parsed, "json"); !ok) return usage(ok.error());
  const Result<Submitted> submitted = read_submitted(context, task, parsed);
  if (!submitted) return usage(submitted.error());
  Result<grade::GradeOptions> options = grading.options(context, parsed, learner::random_seed());
  if (!options) return could_not(options.error());
  if (options->device != grade::DeviceKind::kGpu)
    return could_not(
        {fmt::format("no GPU was found on this machine, and the virtual one has no time; judge run {} --meters counts what a kernel "
                     "reads and writes there, judge doctor says what is missing",
                     task.id)});

  std::filesystem::path ncu;
  if (parsed.count("ncu") > 0) {
    Result<std::filesystem::path> found = find_ncu(options->toolkit.root);
    if (!found) return could_not(found.error());
    ncu = std::move(*found);
  }

  // Right before fast.
  Progress progress(context.err);
  options->progress = [&](int done, int total, const std::string& what) { progress.show(done, total, what); };
  grade::SubmissionResult judged = grade::grade_code(task, submitted->submission, *options);
  progress.clear();
  if (run::interrupted()) return could_not({"interrupted"});
  if (judged.verdict != grade::Verdict::kAccepted) {
    say(report::render_terminal(judged, {context.out, false, source_lookup(submitted->submission)}));
    say("  not measured: it is not accepted\n");
    return judged.verdict == grade::Verdict::kJudgeError ? Exit::kCouldNot : Exit::kNotAccepted;
  }

  gpu::MeasureOptions how;
  how.toolkit_root = options->toolkit.root;
  how.seed = options->seed;
  how.seconds = parsed["seconds"].as<double>();
  grade::Built own = grade::build_code(task, submitted->submission, *options);
  if (!own.artifact) return could_not({own.result.message});
  how.own = own.artifact->library;
  if (!submitted->reference) {
    Result<std::filesystem::path> reference = build_reference(context, task, *options);
    if (!reference) return could_not(reference.error());
    how.reference = std::move(*reference);
  }
  const Result<toolchain::CompileOptions> compiling = grade::compile_options(*options);
  if (!compiling) return could_not(compiling.error());
  Result<std::filesystem::path> copies = gpu::build_copies(options->toolkit, *compiling);
  if (!copies) return could_not(copies.error());
  how.copies = std::move(*copies);
  progress.clear();

  say(fmt::format("{}  {}\n  on {}: {} of {} cases right; now the time of {}\n\n{}", task.id, submitted->submission.shown_name,
                  options->device_name, judged.cases.size(), judged.cases.size(),
                  cases.size() == 1 ? "one" : fmt::format("{}", cases.size()), bench_head()));
  std::vector<BenchCase> results;
  for (const task::Case* const c : cases) {
    progress.show(static_cast<int>(results.size()), static_cast<int>(cases.size()), c->name);
    gpu::Measurement measurement = measured(task, *c, how);
    progress.clear();
    if (run::interrupted()) return could_not({"interrupted"});
    gpu::Statement statement = gpu::state(measurement);
    results.push_back({std::move(measurement), std::move(statement)});
    say(bench_row(results.back(), context.out));
  }
  say("\n" + bench_clocks(results) + give_medal(task, results, only.empty(), judged));
  if (!ncu.empty()) {
    const std::size_t slowest = slowest_of(results);
    const Result<std::string> profile =
        profile_case(task, *cases[slowest], submitted->submission, *options, ncu, results[slowest].measurement.bytes, context.out);
    if (!profile) return could_not(profile.error());
    say(*profile);
  }
  if (parsed.count("json") > 0)
    if (Status ok = write_file(parsed["json"].as<std::string>(),
                               bench_json(judged, results).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
        !ok)
      return could_not(ok.error());
  return exit_of(results);
}

}  // namespace warpbook::commands
