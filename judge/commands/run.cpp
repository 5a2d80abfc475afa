// judge run: the learner's file graded, shown, and remembered.
#include <fmt/format.h>

#include <cxxopts.hpp>

#include "judge/base/files.hpp"
#include "judge/base/hash.hpp"
#include "judge/classroom/class_secret.hpp"
#include "judge/commands/command.hpp"
#include "judge/commands/event_lines.hpp"
#include "judge/commands/grading.hpp"
#include "judge/commands/submitted.hpp"
#include "judge/grade/answers.hpp"
#include "judge/grade/diagnose.hpp"
#include "judge/grade/further_cases.hpp"
#include "judge/grade/grade.hpp"
#include "judge/grade/input_literal.hpp"
#include "judge/grade/result_json.hpp"
#include "judge/grade/shrink_run.hpp"
#include "judge/learner/answers_file.hpp"
#include "judge/learner/next_hint.hpp"
#include "judge/learner/open_progress.hpp"
#include "judge/learner/recorded.hpp"
#include "judge/report/junit.hpp"
#include "judge/report/meters.hpp"
#include "judge/report/terminal.hpp"
#include "judge/store/remote_store.hpp"
#include "judge/task/overlay.hpp"

namespace warpbook::commands {
namespace {

/// The attempt on record; judging goes on without one when the store cannot be used, and says so.
class Record {
 public:
  Record(const Context& context, const task::Task& task, const Submitted& choice, const grade::GradeOptions& options)
      : wanted_(!choice.reference && options.only_cases.empty() && !choice.by_hand && !choice.author) {
    if (!wanted_) return;
    Result<std::shared_ptr<store::Store>> store = learner::open_progress(context);
    if (!store) {
      warn(store.error());
      return;
    }
    store_ = std::move(*store);
    const char* device = options.device == grade::DeviceKind::kGpu ? "gpu" : "vgpu";
    const std::string& text = choice.submission.text;
    const std::uint64_t seed = options.seed_hash.empty() ? options.seed : 0;
    const Result<std::int64_t> id =
        store_->begin_attempt({task.id, content_hash(text), seed, device, is_text(text) ? text : std::string()});
    if (!id) warn(id.error());
    if (id) id_ = *id;
  }

  void finish(const grade::SubmissionResult& result, const std::string& json) {
    if (!store_ || id_ == 0) return;
    store::AttemptOutcome outcome;
    outcome.verdict = grade::code_of(result.verdict);
    outcome.points = result.score.total();
    outcome.passed = result.passed;
    outcome.medal = result.medal != grade::Medal::kNone && result.medal != grade::Medal::kLost;
    outcome.result_json = json;
    for (const task::Measurement& m : grade::measurements_of(result)) outcome.measurements.push_back({m.name, m.value, m.unit});
    for (const grade::AnswerResult& a : result.answers) outcome.provisional |= a.answered && a.provisional;
    if (Status ok = store_->finish_attempt(id_, outcome); !ok) warn(ok.error());
  }

  /// Whether the attempt is on record.
  bool stands() const { return id_ != 0; }

 private:
  static void warn(const Error& error) { complain(fmt::format("warning: this attempt is not recorded: {}\n", error.text())); }

  bool wanted_;
  std::shared_ptr<store::Store> store_;
  std::int64_t id_ = 0;
};

/// The workbook with the store that --store-descriptor names: the server that started this run records it, and this process knows no
/// way to its database.
Result<Context> with_store(const Context& context, const cxxopts::ParseResult& parsed) {
  if (parsed.count("store-descriptor") == 0) return context;
  Result<std::unique_ptr<store::Store>> remote = store::open_remote_store(parsed["store-descriptor"].as<int>());
  if (!remote) return Error{fmt::format("--store-descriptor: {}", remote.error().what)};
  Context own = context;
  own.progress = std::move(*remote);
  return own;
}

/// The learner's sheet; the reference solution's answers are known after its run, whose figures they may hold.
Result<task::AnswerSheet> answers_for(const Context& context, const task::Task& task, const Submitted& choice) {
  if (choice.reference) return task::AnswerSheet{};
  return read_answer_sheet(context, task);
}

Status write_reports(const cxxopts::ParseResult& parsed, const std::string& json, const grade::SubmissionResult& result) {
  if (parsed.count("json") > 0)
    if (Status ok = write_file(parsed["json"].as<std::string>(), json + "\n"); !ok) return ok;
  if (parsed.count("junit") > 0)
    if (Status ok = write_file(parsed["junit"].as<std::string>(), report::render_junit(result)); !ok) return ok;
  return Done{};
}

/// Title and kinds of input in the learner's language, for the terminal; what is recorded and written to files stays English.
void translate(const task::Task& task, const std::string& language, grade::SubmissionResult& result) {
  result.task_title = task.title.in(language);
  for (grade::CaseResult& c : result.cases)
    for (const task::Case& known : task.cases)
      if (const auto about = known.about_in.find(language); known.name == c.name && about != known.about_in.end()) c.about = about->second;
}

Exit exit_for(const grade::SubmissionResult& result, bool strict) {
  if (result.verdict == grade::Verdict::kJudgeError) return Exit::kCouldNot;
  return (strict ? result.passed : result.accepted) ? Exit::kAccepted : Exit::kNotAccepted;
}

cxxopts::Options describe(GradingWords& grading) {
  cxxopts::Options words("judge run", "Grades work/TASK/exercise.cu, or the file given.");
  grading.declare(words);
  words.add_options()("solution", "grade the reference solution")(
      "author", "FILE is an author's (of wrong/ or correct/): judged as a whole file, not recorded")(
      "json", "write the result as JSON", cxxopts::value<std::string>())("junit", "write the result as JUnit XML",
                                                                         cxxopts::value<std::string>())("quiet", "one line only")(
      "strict", "exit 0 only for a whole pass (8 points)")("meters",
                                                           "print what each source line and each kernel cost, with --case of that case")(
      "seed-file", "seed of the hidden inputs from a file with the secret of a class", cxxopts::value<std::string>())(
      "overlay", "a folder with further cases of a class", cxxopts::value<std::string>())(
      "events", "tell what happens on this descriptor, one JSON line an event", cxxopts::value<int>())(
      "store-descriptor", "record over this socket, whose other end a class server holds", cxxopts::value<int>())(
      "input", "run one input given by hand: 'x=[1, 2, 3] gamma=1' (lessons/README.md)", cxxopts::value<std::string>())(
      "no-advice", "after a failure neither look for a small input nor compare with known mistakes")("file", "",
                                                                                                     cxxopts::value<std::string>());
  words.parse_positional({"task", "file"});
  words.positional_help("TASK [FILE]");
  return words;
}

/// Has the events of grading told.
void tell_events(EventLines& events, grade::GradeOptions& options) {
  options.on_compiled = [&events](const grade::SubmissionResult& built) {
    events.tell("compiled", {{"seconds", built.compile_seconds}, {"cached", built.compile_cached}});
  };
  options.on_case = [&events](const grade::CaseResult& result) { events.tell("case", grade::to_json(result)); };
}

/// Why a failure happened: the smallest input that still fails, and which known mistake it looks like.
void advise(const task::Task& task, const Submitted& choice, const grade::GradeOptions& options, EventLines& events,
            grade::SubmissionResult& result) {
  if (result.verdict != grade::Verdict::kWrongAnswer && result.verdict != grade::Verdict::kRuntimeError) return;
  if (options.progress) options.progress(0, 1, "looking for a small input");
  events.tell("advice", {{"doing", "looking for a small input"}});
  result.counter_example = grade::find_counter_example(task, choice.submission, result, options);
  events.tell("advice", {{"doing", "comparing with known mistakes"}});
  grade::diagnose(task, choice.submission, options, result);
}

/// Whether the name of a mistake is said; not when the store cannot be asked.
bool names_mistakes(const Context& context, const task::Task& task) {
  const Result<std::shared_ptr<store::Store>> store = learner::open_progress(context);
  return task.blanks.empty() || (store && learner::tells_mistakes(task, **store));
}

/// What --seed-file and --overlay brought.
struct ClassWords {
  std::optional<classroom::ClassSecret> secret;
  std::vector<task::Case> further;
};

/// Errors also where an option makes no sense beside them: the seed is given twice, or further cases are asked for beside a single one.
Result<ClassWords> read_class_words(const cxxopts::ParseResult& parsed, const task::Task& task) {
  ClassWords words;
  if (parsed.count("seed-file") > 0) {
    if (parsed.count("seed") > 0) return Error{"--seed and --seed-file are both given; one of them is meant"};
    Result<classroom::ClassSecret> secret = classroom::read_class_secret(parsed["seed-file"].as<std::string>());
    if (!secret) return std::move(secret).error();
    words.secret = std::move(*secret);
  }
  if (parsed.count("overlay") == 0) return words;
  if (parsed.count("case") > 0 || parsed.count("input") > 0)
    return Error{"--overlay runs its cases beside all of the task's, not beside --case or --input"};
  Result<std::vector<task::Case>> further = task::read_overlay(parsed["overlay"].as<std::string>(), task);
  if (!further) return std::move(further).error();
  words.further = std::move(*further);
  return words;
}

/// The task with one case, given on the command line.
Result<task::Task> with_input(task::Task task, const std::string& line) {
  Result<task::Case> given = grade::parse_input(task, line);
  if (!given) return std::move(given).error();
  task.cases = {std::move(*given)};
  return task;
}

}  // namespace

Exit run(const Context& begun_in, const Arguments& arguments) {
  GradingWords grading;
  cxxopts::Options words = describe(grading);
  const TaskCommand command = begin_task_command(begun_in, "run", words, arguments);
  if (!command.task) return command.exit;
  const cxxopts::ParseResult& parsed = *command.parsed;
  const Result<Context> with_progress = with_store(begun_in, parsed);
  if (!with_progress) return usage(with_progress.error());
  const Context& context = *with_progress;
  if (Status ok = check_words(parsed); !ok) return usage(ok.error());
  const bool by_hand = parsed.count("input") > 0;
  if (by_hand && parsed.count("case") > 0) return usage({"--input and --case are both given; one of them is meant"});
  const Result<task::Task> chosen =
      by_hand ? with_input(*command.task, parsed["input"].as<std::string>()) : Result<task::Task>(*command.task);
  if (!chosen) return usage(chosen.error());
  const task::Task& task = *chosen;
  for (const char* report : {"json", "junit"})
    if (Status ok = check_report_file(parsed, report); !ok) return usage(ok.error());
  const Result<ClassWords> of_class = read_class_words(parsed, task);
  if (!of_class) return usage(of_class.error());
  Result<EventLines> events = parsed.count("events") > 0 ? EventLines::on(parsed["events"].as<int>()) : EventLines();
  if (!events) return usage(events.error());
  Result<Submitted> choice = read_submitted(context, task, parsed);
  if (!choice) return usage(choice.error());
  choice->by_hand = by_hand;
  Result<task::AnswerSheet> sheet = answers_for(context, task, *choice);
  if (!sheet) return usage(sheet.error());

  // Without a toolkit the blanks and the questions are still looked at; nothing is run and nothing is accepted.
  Result<grade::GradeOptions> options = grading.options(context, parsed, learner::random_seed());
  const bool able = static_cast<bool>(options);
  if (able && of_class->secret) {
    options->seed = of_class->secret->seed;
    options->seed_hash = of_class->secret->hash;
  }
  if (!able && toolchain::find_toolkit()) return could_not(options.error());
  if (able)
    if (Status ok = check_cases(task, options->only_cases); !ok) return usage(ok.error());

  Progress progress(context.err);
  grade::SubmissionResult result;
  std::optional<Record> record;
  if (able) {
    record.emplace(context, task, *choice, *options);
    options->line_meters = parsed.count("meters") > 0;
    options->kernel_meters = options->line_meters || parsed.count("json") > 0 || parsed.count("events") > 0;
    options->progress = [&](int done, int total, const std::string& what) { progress.show(done, total, what); };
    events->tell("started", nlohmann::json::object());
    tell_events(*events, *options);
    result = grade::grade_code(task, choice->submission, *options);
    options->on_compiled = nullptr;  // what is tried from here on is not the learner's run
    options->on_case = nullptr;
    const bool advice = !by_hand && parsed.count("quiet") == 0 && parsed.count("no-advice") == 0 && !run::interrupted();
    if (advice) advise(task, *choice, *options, *events, result);
    grade::add_further_cases(task, of_class->further, choice->submission, *options, result);
  } else {
    result = grade::review_code(task, choice->submission, {});
  }
  progress.clear();
  if (run::interrupted()) return could_not({"interrupted; the attempt stays on record without a verdict"});

  task::GradeContext answers;
  answers.seed = choice->reference ? 1 : sheet->seed.value_or(0);
  answers.language = context.language;
  if (!choice->reference) answers.recorded = recorded_measurements(context, task.id);
  for (const task::Measurement& m : grade::measurements_of(result)) answers.recorded.push_back(m);
  if (choice->reference) sheet = task::reference_answers(task, answers.seed, answers.recorded);
  grade::add_answers(task, *sheet, answers, result);
  grade::finish(task, result);
  const std::string json = grade::to_json(result).dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  if (record) record->finish(result, json);
  if (record && record->stands())
    if (Status ok = refresh_answer_sheet(context, task, answers.recorded); !ok) complain(fmt::format("warning: {}\n", ok.error().text()));
  events->tell("result", grade::to_json(result));

  translate(task, context.language, result);
  report::TerminalOptions shown{context.out, parsed.count("quiet") > 0, source_lookup(choice->submission)};
  shown.tell_mistake = result.diagnosis && names_mistakes(context, task);
  say(report::render_terminal(result, shown));
  if (parsed.count("meters") > 0) say(report::render_meters(result, "", shown));
  if (choice->author) say("  judged as an author's file: not recorded\n");
  if (by_hand) say("  only the input given was run: not recorded, and no acceptance of the whole\n");
  if (able && !options->only_cases.empty())
    say(fmt::format("  only {} of {} cases were run: not recorded, and no acceptance of the whole\n", result.cases.size(),
                    task.cases.size()));
  if (!able && result.reason != grade::Reason::kNotRun) say(fmt::format("  {}\n", grade::sentence_of(grade::Reason::kNotRun)));
  if (Status ok = write_reports(parsed, json, result); !ok) return could_not(ok.error());
  if (!able) {
    complain(options.error().what + "\n");
    return Exit::kCouldNot;
  }
  return exit_for(result, parsed.count("strict") > 0);
}

}  // namespace warpbook::commands
