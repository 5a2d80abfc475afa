// The way of a submission to the compiler: its blanks spliced into the pristine exercise, glue, include folder.
#include "judge/grade/build.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "judge/base/files.hpp"
#include "judge/base/hash.hpp"
#include "judge/grade/glue.hpp"
#include "judge/grade/grade.hpp"
#include "judge/grade/submission_header.hpp"
#include "judge/version.hpp"

namespace warpbook::grade {
namespace {

using Clock = std::chrono::steady_clock;

Finding finding_of(const Error& e) { return {e.where.file, e.where.line, e.where.column, "error", e.what, e.source_line}; }

/// The file as it is. Where it differs from the exercise in device blanks only, its host half is that of every such file.
task::SplicedSource with_known_host_half(const task::Task& task, const Submission& submission) {
  task::SplicedSource source = task::whole_source(submission.text);
  if (task.kind == task::TaskKind::kExercise) return source;
  const Result<std::string> exercise = read_file(task.starter);
  if (!exercise) return source;
  Result<task::Spliced> spliced =
      task::splice(*exercise, task.starter.filename().string(), without_header(submission.text), submission.shown_name, task);
  if (!spliced || spliced->kind != task::SpliceKind::kReady || !spliced->source.only_device_blanks) return source;
  source.only_device_blanks = true;
  source.host_text = std::move(spliced->source.host_text);
  return source;
}

/// Generous, because it counts waiting on a busy machine too; what makes a compiler run this long is hostile or hopeless.
constexpr double kCompileLimitSeconds = 180;

/// The folder kernels include from. It holds common/ and nothing else: with the whole workbook in reach, a file of one line
/// (#include "solutions/row-softmax/solution.cu") would be a solution.
Result<std::filesystem::path> include_folder(const GradeOptions& options) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = options.cache / "include", link = folder / "common", target = fs::canonical(options.root / "common", error);
  if (error) return Error{fmt::format("cannot be found: {}", error.message()), Where{(options.root / "common").string()}};
  fs::create_directories(folder, error);
  if (error) return Error{fmt::format("cannot be made: {}", error.message()), Where{folder.string()}};
  if (fs::read_symlink(link, error) == target) return folder;
  // Made beside and renamed into place: several judges may do this at once.
  const fs::path fresh = folder / fmt::format("common.{}", ::getpid());
  fs::create_directory_symlink(target, fresh, error);
  if (!error) fs::rename(fresh, link, error);
  if (error) return Error{fmt::format("cannot be written: {}", error.message()), Where{link.string()}};
  return folder;
}

}  // namespace

SubmissionResult begin_result(const task::Task& task, const Submission& submission, const GradeOptions& options) {
  SubmissionResult r;
  r.task_id = task.id;
  r.task_title = task.title.in("en");
  r.file = submission.shown_name;
  r.provenance.seed = options.seed_hash.empty() ? options.seed : 0;
  r.provenance.seed_hash = options.seed_hash;
  r.provenance.device = options.device_name;
  r.provenance.toolchain = "nvcc " + options.toolkit.version;
  r.provenance.source_hash = content_hash(submission.text);
  r.provenance.judge_version = kVersion;
  return r;
}

SubmissionResult end_result(SubmissionResult r, Verdict verdict, Reason reason, std::string message) {
  r.verdict = verdict;
  r.reason = reason;
  r.message = std::move(message);
  return r;
}

Finding finding_of(const toolchain::Diagnostic& d) {
  const char* severity = d.severity == toolchain::Severity::kError     ? "error"
                         : d.severity == toolchain::Severity::kWarning ? "warning"
                                                                       : "note";
  return {d.file, d.line, d.column, severity, d.message, d.source_line};
}

std::optional<task::SplicedSource> take_blanks(SubmissionResult& r, const task::Task& task, const Submission& submission) {
  if (submission.trusted_whole || task.kind == task::TaskKind::kExercise) return with_known_host_half(task, submission);
  const Result<std::string> exercise = read_file(task.starter);
  if (!exercise) {
    r = end_result(std::move(r), Verdict::kJudgeError, Reason::kInternal, exercise.error().text());
    return std::nullopt;
  }
  Result<task::Spliced> spliced = task::splice(*exercise, task.starter.filename().string(), submission.text, submission.shown_name, task);
  if (!spliced) {
    r = end_result(std::move(r), Verdict::kJudgeError, Reason::kInternal, spliced.error().text());
    return std::nullopt;
  }
  if (spliced->kind == task::SpliceKind::kChangedOutside) {
    r.vetoes.push_back({Reason::kChangedOutside, spliced->diff});
    r.findings.push_back(finding_of(spliced->change));
    r = end_result(std::move(r), Verdict::kVeto, Reason::kChangedOutside, spliced->change.what);
    return std::nullopt;
  }
  if (spliced->kind == task::SpliceKind::kRefused) {
    for (const Error& e : spliced->refusals) r.findings.push_back(finding_of(e));
    r = end_result(std::move(r), Verdict::kCompileError, spliced->only_empty ? Reason::kBlankEmpty : Reason::kBlankRefused,
                   spliced->refusals.front().what);
    return std::nullopt;
  }
  return std::move(spliced->source);
}

Result<toolchain::Source> unit_of(const task::Task& task, const std::string& shown_name, const task::SplicedSource& source,
                                  const GradeOptions& options) {
  Result<std::string> glue = launch_glue(task);
  if (!glue) return std::move(glue).error();
  toolchain::Source unit;
  unit.shown_name = shown_name;
  unit.text = source.text;
  unit.glue = without_macros(*glue) + *glue;
  unit.native = options.device == DeviceKind::kGpu;
  if (source.only_device_blanks) unit.host_key = content_hash(task.id + "\n" + source.host_text);
  return unit;
}

Result<toolchain::CompileOptions> compile_options(const GradeOptions& options) {
  Result<std::filesystem::path> include = include_folder(options);
  if (!include) return std::move(include).error();
  toolchain::CompileOptions how;
  how.cache = options.cache;
  how.time_limit_seconds = kCompileLimitSeconds;
  how.include = {std::move(*include)};
  return how;
}

std::optional<toolchain::Artifact> compile_unit(SubmissionResult& r, const toolchain::Source& unit, const GradeOptions& options) {
  const Result<toolchain::CompileOptions> how = compile_options(options);
  if (!how) {
    r = end_result(std::move(r), Verdict::kJudgeError, Reason::kInternal, how.error().text());
    return std::nullopt;
  }
  const auto start = Clock::now();
  toolchain::CompileOutcome outcome = toolchain::compile(options.toolkit, unit, *how);
  r.compile_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const auto& messages = outcome.ok ? outcome.artifact.warnings : outcome.failure.diagnostics;
  for (const toolchain::Diagnostic& d : messages) r.findings.push_back(finding_of(d));
  if (!outcome.ok) {
    const bool theirs = outcome.failure.learner;
    r = end_result(std::move(r), theirs ? Verdict::kCompileError : Verdict::kJudgeError,
                   theirs ? Reason::kCompilerMessage : Reason::kInternal, outcome.failure.summary);
    return std::nullopt;
  }
  r.compile_cached = outcome.artifact.from_cache;
  r.host_cached = outcome.artifact.host_from_cache;
  r.provenance.artifact_hash = outcome.artifact.hash;
  return std::move(outcome.artifact);
}

Built build_code(const task::Task& task, const Submission& submission, const GradeOptions& options, const std::string& prelude) {
  Built built{begin_result(task, submission, options), {}, {}};
  std::optional<task::SplicedSource> source = take_blanks(built.result, task, submission);
  if (!source) return built;
  if (options.progress) options.progress(0, static_cast<int>(task.cases.size()), "compiling");
  Result<toolchain::Source> unit = unit_of(task, submission.shown_name, *source, options);
  if (!unit) {
    built.result = end_result(std::move(built.result), Verdict::kJudgeError, Reason::kInternal, unit.error().what);
    return built;
  }
  unit->prelude = prelude;
  built.artifact = compile_unit(built.result, *unit, options);
  built.text = std::move(source->text);
  return built;
}

}  // namespace warpbook::grade
