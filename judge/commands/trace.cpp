// judge trace: one block of one case as a page that can be stepped through.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cxxopts.hpp>

#include "judge/base/files.hpp"
#include "judge/commands/command.hpp"
#include "judge/commands/grading.hpp"
#include "judge/commands/submitted.hpp"
#include "judge/grade/grade.hpp"
#include "judge/learner/work_folder.hpp"
#include "judge/report/terminal.hpp"
#include "judge/toolchain/compile.hpp"
#include "judge/trace/figure.hpp"
#include "judge/trace/page.hpp"
#include "judge/trace/trace_case.hpp"

namespace warpbook::commands {
namespace {

namespace fs = std::filesystem;

/// Of the inputs, unless --seed is given: the same trace again.
constexpr std::uint64_t kSeed = 1;

cxxopts::Options describe(GradingWords& grading) {
  cxxopts::Options words("judge trace",
                         "Writes one block of one case as a page: step through the source, look into lanes, shared memory and accesses.\n"
                         "The case is the first that fails, else the first. WATCH(variable) of common/kernel/watch.cuh names registers.");
  grading.declare(words);
  words.add_options()("solution", "trace the reference solution")(
      "figures", "for authors: record the figures of the lesson (figures/*.cu), which its text shows step by step")(
      "block", "the block: a number, or x,y,z (default: the one in which the kernel fails, else 0)", cxxopts::value<std::string>())(
      "launch", "which launch, from 1 (default: the first of the kernel that fails, else 1)", cxxopts::value<std::uint64_t>())(
      "from", "warp steps of the block to skip", cxxopts::value<std::uint64_t>()->default_value("0"))(
      "steps", "warp steps to keep", cxxopts::value<std::uint64_t>()->default_value("20000"))(
      "output", "the page's file (default: work/TASK/trace.html)", cxxopts::value<std::string>())(
      "data", "write the page's data as JSON instead", cxxopts::value<std::string>())("file", "", cxxopts::value<std::string>());
  words.parse_positional({"task", "file"});
  words.positional_help("TASK [FILE]");
  return words;
}

/// "7" or "1,2,0".
Result<std::vector<std::uint64_t>> numbers_of(const std::string& text) {
  std::vector<std::uint64_t> out;
  const char *at = text.data(), *end = at + text.size();
  for (;;) {
    std::uint64_t number = 0;
    const auto [behind, failed] = std::from_chars(at, end, number);
    if (failed != std::errc{}) break;
    out.push_back(number);
    if (behind == end && (out.size() == 1 || out.size() == 3)) return out;
    if (behind == end || *behind != ',') break;
    at = behind + 1;
  }
  return Error{fmt::format("--block is '{}', expected a number or x,y,z", text)};
}

/// The case to look at, and what grading said about it.
struct Chosen {
  const task::Case* chosen = nullptr;
  std::optional<device::Fault> fault;
};

Chosen choose_case(const task::Task& task, const grade::SubmissionResult& result) {
  const auto failing = std::find_if(result.cases.begin(), result.cases.end(),
                                    [](const grade::CaseResult& r) { return r.verdict != grade::Verdict::kAccepted; });
  const grade::CaseResult& shown = failing == result.cases.end() ? result.cases.front() : *failing;
  const auto c = std::find_if(task.cases.begin(), task.cases.end(), [&](const task::Case& one) { return one.name == shown.name; });
  return {&*c, shown.fault};
}

Result<trace::Order> order_from(const cxxopts::ParseResult& parsed) {
  trace::Order order;
  order.from = parsed["from"].as<std::uint64_t>();
  order.steps = std::max<std::uint64_t>(1, parsed["steps"].as<std::uint64_t>());
  if (parsed.count("block") > 0) {
    Result<std::vector<std::uint64_t>> numbers = numbers_of(parsed["block"].as<std::string>());
    if (!numbers) return numbers.error();
    order.block = std::move(*numbers);
  }
  if (parsed.count("launch") > 0) {
    order.launch = parsed["launch"].as<std::uint64_t>();
    if (order.launch == 0) return Error{"--launch counts from 1"};
  }
  return order;
}

/// What the command line left open: where the kernel fails, else the first block of the first launch.
trace::Order aimed(trace::Order order, const std::optional<device::Fault>& fault) {
  if (order.launch == 0 && fault) order.kernel = fault->kernel;
  if (order.launch == 0 && !fault) order.launch = 1;
  if (order.block.empty() && fault) order.block = {fault->block.x, fault->block.y, fault->block.z};
  return order;
}

/// Where a page goes when nobody says.
fs::path default_output(const Context& context, const task::Task& task) { return context.work() / task.id / "trace.html"; }

void say_what(const Context& context, const nlohmann::json& data, const fs::path& file, std::size_t bytes) {
  say(fmt::format("{}: case {}, {}, block ({}) of ({})\n", data["task"].get<std::string>(), data["case"]["name"].get<std::string>(),
                  data["kernel"].get<std::string>(), fmt::join(data["index"].get<std::vector<std::uint64_t>>(), ", "),
                  fmt::join(data["grid"].get<std::vector<std::uint64_t>>(), ", ")));
  if (data.contains("fault")) say(fmt::format("  it ends with: {}\n", data["fault"]["message"].get<std::string>()));
  const nlohmann::json& window = data["window"];
  if (window["truncated"].get<bool>())
    say(fmt::format("  steps {} to {} only; go on with --from {}\n", window["first"].get<std::uint64_t>(),
                    window["first"].get<std::uint64_t>() + window["kept"].get<std::uint64_t>(),
                    window["first"].get<std::uint64_t>() + window["kept"].get<std::uint64_t>()));
  if (data["watches"].empty())
    say("  nothing is watched: registers are shown by line; WATCH(variable) of common/kernel/watch.cuh gives them names\n");
  say(fmt::format("  open {} ({} KB)\n", shown_path(context, file), bytes / 1024));
}

/// Records each figure of the task's folder anew, beside its program.
Exit record_figures(const Context& context, const task::Task& task) {
  const Result<toolchain::Toolkit> toolkit = toolchain::find_toolkit();
  if (!toolkit) return could_not(toolkit.error());
  const std::vector<fs::path> figures = trace::figures_in(task.folder);
  if (figures.empty()) return usage({fmt::format("{} has no figures/*.cu", task.id)});
  for (const fs::path& program : figures) {
    const Result<nlohmann::json> recording = trace::record_figure(context.root, program, *toolkit, {context.cache()});
    if (!recording) return could_not(recording.error());
    fs::path file = program;
    const std::string text = trace::figure_text(*recording);
    if (Status ok = write_file(file.replace_extension(".trace"), text); !ok) return could_not(ok.error());
    say(fmt::format("{}: {} steps of warps, {} KB\n", shown_path(context, file), (*recording)["window"]["kept"].get<std::uint64_t>(),
                    text.size() / 1024));
  }
  return Exit::kAccepted;
}

}  // namespace

Exit trace(const Context& context, const Arguments& arguments) {
  GradingWords grading;
  cxxopts::Options words = describe(grading);
  const TaskCommand command = begin_task_command(context, "trace", words, arguments);
  if (!command.task) return command.exit;
  const task::Task& task = *command.task;
  const cxxopts::ParseResult& parsed = *command.parsed;
  if (Status ok = check_words(parsed); !ok) return usage(ok.error());
  if (parsed["device"].as<std::string>() == "gpu") return usage({"--device gpu: a trace is made on the virtual GPU"});
  if (parsed.count("figures") > 0) return record_figures(context, task);
  const Result<trace::Order> wanted = order_from(parsed);
  if (!wanted) return usage(wanted.error());
  const Result<Submitted> submitted = read_submitted(context, task, parsed);
  if (!submitted) return usage(submitted.error());
  Result<grade::GradeOptions> options = grading.options(context, parsed, kSeed);
  if (!options) return could_not(options.error());
  options->device = grade::DeviceKind::kVirtual;
  options->device_name = grade::GradeOptions{}.device_name;
  if (Status ok = check_cases(task, options->only_cases); !ok) return usage(ok.error());
  Progress progress(context.err);
  options->progress = [&](int done, int total, const std::string& what) { progress.show(done, total, what); };

  // Graded first: which case fails, in which block.
  const grade::SubmissionResult graded = grade::grade_code(task, submitted->submission, *options);
  if (graded.cases.empty()) {
    progress.clear();
    say(report::render_terminal(graded, {context.out, false, source_lookup(submitted->submission)}));
    return graded.verdict == grade::Verdict::kJudgeError ? Exit::kCouldNot : Exit::kNotAccepted;
  }
  const Chosen chosen = choose_case(task, graded);
  const trace::Order order = aimed(*wanted, chosen.fault);
  const grade::Built built = grade::build_code(task, submitted->submission, *options, trace::kPrelude);
  progress.clear();
  if (!built.artifact) return could_not({fmt::format("the trace build failed: {}", built.result.message)});
  const Result<nlohmann::json> data = trace::trace_case({task, *chosen.chosen, built, *options, order});
  if (!data) return could_not(data.error());

  const bool raw = parsed.count("data") > 0;
  fs::path file = default_output(context, task);
  if (parsed.count("output") > 0) file = parsed["output"].as<std::string>();
  if (raw) file = parsed["data"].as<std::string>();
  const std::string text = raw ? data->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) : trace::make_page(*data);
  std::error_code ignored;
  if (!raw && parsed.count("output") == 0) fs::create_directories(file.parent_path(), ignored);
  if (Status ok = write_file(file, text); !ok) return could_not(ok.error());
  say_what(context, *data, file, text.size());
  return Exit::kAccepted;
}

}  // namespace warpbook::commands
