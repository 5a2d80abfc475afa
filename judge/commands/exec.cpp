// judge exec: somebody's own program, with its own main(), on the virtual GPU.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cxxopts.hpp>
#include <optional>

#include "judge/base/files.hpp"
#include "judge/commands/command.hpp"
#include "judge/commands/exec_report.hpp"
#include "judge/commands/grading.hpp"
#include "judge/commands/watched_program.hpp"
#include "judge/cudart/device_options.hpp"
#include "judge/cudart/program_file.hpp"
#include "judge/toolchain/program.hpp"
#include "judge/toolchain/scratch.hpp"
#include "judge/vgpu/profile.hpp"

namespace warpbook::commands {
namespace {

namespace fs = std::filesystem;

constexpr int kSignalStatus = 128;  // a shell's status for a program that a signal ended: this much more than its number

/// What the command line asks for.
struct Order {
  fs::path file;
  std::vector<std::string> arguments;  ///< of the program
  cudart::DeviceOptions device;
  std::string target;  ///< "80" of sm_80
  std::vector<std::string> nvcc;
  std::string json;
  bool quiet = false;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

cxxopts::Options describe() {
  cxxopts::Options words(
      "judge exec",
      "Runs a CUDA program with its own main() on the virtual GPU and tells what its kernels did wrong and what they cost.\n"
      "The report goes to stderr. Exit status: the program's; 1 when it is 0 and there are findings or refused calls; 3 when it cannot be "
      "run.");
  words.add_options()("profile", "the device it runs on: sm_75, sm_80, sm_90, sm_100 ...",
                      cxxopts::value<std::string>()->default_value("sm_80"))(
      "schedule", "order of blocks and warps: ascending, descending or a number that shuffles them", cxxopts::value<std::string>())(
      "max-findings", "a launch ends at this many errors", cxxopts::value<int>()->default_value("20"))(
      "budget", "thread instructions that a launch may run", cxxopts::value<std::uint64_t>())("off", "checks to switch off: race,init",
                                                                                              cxxopts::value<std::string>())(
      "nvcc", "further words for nvcc, separated by blanks (FILE.cu only)", cxxopts::value<std::string>())(
      "json", "write the report as JSON", cxxopts::value<std::string>())("quiet", "findings only, no table")("help", "this text")(
      "file", "", cxxopts::value<std::string>());
  words.parse_positional({"file"});
  words.positional_help("FILE.cu|PROGRAM [-- ARGUMENTS]");
  return words;
}

/// The words in which the program's device is told its order (judge/cudart/README.md).
void set_schedule(const vgpu::Schedule& schedule, cudart::DeviceOptions& device) {
  using Turns = vgpu::Schedule::Order;
  device.order = schedule.order == Turns::kSeeded ? "seeded" : schedule.order == Turns::kDescending ? "descending" : "ascending";
  device.seed = schedule.seed;
}

Result<Order> order_from(const cxxopts::ParseResult& parsed, std::vector<std::string> arguments) {
  Order order;
  if (parsed.count("file") == 0) return Error{"a .cu file or a program is needed: judge exec FILE.cu"};
  order.file = parsed["file"].as<std::string>();
  order.arguments = std::move(arguments);
  order.device.profile = parsed["profile"].as<std::string>();
  if (const auto known = vgpu::find_profile(order.device.profile); !known) return known.error();
  order.target.assign(order.device.profile, std::string_view("sm_").size());
  if (parsed.count("schedule") > 0) {
    const Result<vgpu::Schedule> schedule = schedule_of(parsed["schedule"].as<std::string>());
    if (!schedule) return schedule.error();
    set_schedule(*schedule, order.device);
  }
  order.device.max_findings = parsed["max-findings"].as<int>();
  if (order.device.max_findings < 1) return Error{fmt::format("--max-findings is {}, expected 1 or more", order.device.max_findings)};
  if (parsed.count("budget") > 0) order.device.budget = parsed["budget"].as<std::uint64_t>();
  if (parsed.count("off") > 0) order.device.off = split(parsed["off"].as<std::string>(), ',');
  for (const std::string& check : order.device.off)
    if (std::find(std::begin(cudart::kChecks), std::end(cudart::kChecks), check) == std::end(cudart::kChecks))
      return Error{fmt::format("--off names '{}', expected {}", check, fmt::join(cudart::kChecks, ", "))};
  if (parsed.count("nvcc") > 0) order.nvcc = split(parsed["nvcc"].as<std::string>(), ' ');
  if (parsed.count("json") > 0) order.json = parsed["json"].as<std::string>();
  order.quiet = parsed.count("quiet") > 0;
  return order;
}

/// Compiles; the program's path, or empty when nvcc has said why not.
Result<fs::path> compile(const Context& context, const Order& order, const fs::path& folder) {
  Result<toolchain::Toolkit> toolkit = toolchain::find_toolkit();
  if (!toolkit) return toolkit.error();
  toolchain::ProgramSource source;
  source.file = order.file;
  source.target = order.target;
  source.include = {context.root};
  source.words = order.nvcc;
  const fs::path program = folder / order.file.stem();
  const Result<bool> built = toolchain::build_program(*toolkit, source, program);
  if (!built) return built.error();
  return *built ? program : fs::path();
}

std::string library_path(const Context& context) {
  const fs::path lib = context.program_folder.parent_path() / "lib";
  const char* before = std::getenv("LD_LIBRARY_PATH");
  const std::string_view rest = before == nullptr ? "" : before;
  return fmt::format("{}:{}{}{}", (lib / "cudart13").string(), (lib / "cudart12").string(), rest.empty() ? "" : ":", rest);
}

/// What the dynamic linker will load for the program, as `ldd` asks it: "libcudart.so.13 => /path (0x...)" by line.
Result<std::vector<std::string>> loaded_libraries(const Context& context, const fs::path& program) {
  run::Command command;
  command.argv = {program.string()};
  command.set_environment = {{"LD_TRACE_LOADED_OBJECTS", "1"}, {"LD_LIBRARY_PATH", library_path(context)}};
  command.limits.wall = std::chrono::seconds(30);
  const Result<run::Outcome> outcome = run::run(command);
  if (!outcome) return outcome.error();
  return split_lines(outcome->out);
}

std::string list(const std::vector<int>& targets, std::string_view prefix) {
  std::vector<std::string> words;
  for (const int target : targets) words.push_back(fmt::format("{}{}", prefix, target));
  return fmt::format("{}", fmt::join(words, ", "));
}

/// Reasons that the device code gives not to start the program.
Status check_device_code(const cudart::ProgramFile& program, const Order& order) {
  const std::string advice = fmt::format("rebuild it with -gencode arch=compute_{0},code=compute_{0}", order.target);
  const std::string where = order.file.string();
  if (program.ptx.empty())
    return Error{fmt::format("the program holds no PTX, only machine code for {}: {}", list(program.machine_code, "sm_"), advice), {where}};
  const int own = std::stoi(order.target);
  if (program.ptx.front() > own)
    return Error{fmt::format("the program holds PTX for {}, which is newer than the device ({}): give --profile sm_{}, or {}",
                             list(program.ptx, "compute_"), order.device.profile, program.ptx.front(), advice),
                 {where}};
  return Done{};
}

/// What has to be in front of the program's own libraries; empty when LD_LIBRARY_PATH suffices. The error: it cannot be run here.
Result<std::string> check_program(const Context& context, const Order& order, const fs::path& file) {
  const Result<cudart::ProgramFile> program = cudart::examine_program(file);
  if (!program) return program.error();
  if (program->has_device_code)
    if (Status ok = check_device_code(*program, order); !ok) return ok.error();
  const Result<std::vector<std::string>> libraries =
      program->dynamic ? loaded_libraries(context, file) : Result<std::vector<std::string>>(std::vector<std::string>{});
  if (!libraries) return libraries.error();
  const std::string shown = order.file.string();
  const std::string lib = (context.program_folder.parent_path() / "lib").string();
  for (const std::string& line : *libraries) {
    const std::size_t name = line.find("libcudart.so.");
    if (name == std::string::npos) continue;
    for (const char* major : {"13", "12"}) {
      if (line.compare(name, 15, fmt::format("libcudart.so.{}", major)) != 0) continue;
      const fs::path ours = fs::path(lib) / fmt::format("cudart{}", major) / fmt::format("libcudart.so.{}", major);
      std::error_code ignored;
      if (!fs::exists(ours, ignored)) return Error{"does not exist: the build is not complete", {ours.string()}};
      // An RPATH in the program goes before LD_LIBRARY_PATH; nothing goes before LD_PRELOAD.
      return line.find(fmt::format("=> {}", ours.string())) != std::string::npos ? std::string() : ours.string();
    }
    return Error{fmt::format("the program was linked to {}: only versions 12 and 13 of the runtime are there",
                             line.substr(name, line.find(' ', name) - name)),
                 {shown}};
  }
  if (program->has_device_code)
    return Error{"the program was linked to a static CUDA runtime, which cannot be replaced: link it with -cudart shared", {shown}};
  if (std::any_of(libraries->begin(), libraries->end(), [](const std::string& l) { return l.find("libcuda.so") != std::string::npos; }))
    return Error{"the program uses the driver API (libcuda.so), which the virtual GPU does not have; it has the runtime API", {shown}};
  return Error{"not a CUDA program: it holds no device code and uses no CUDA runtime", {shown}};
}

Status write_json(const Order& order, const ExecReport& report, const WatchedEnd& end) {
  nlohmann::json out = report.as_json();
  out["program"] = order.file.string();
  out["profile"] = order.device.profile;
  out["status"] = end.status;
  out["signal"] = end.signal;
  return write_file(order.json, out.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

Exit run_program(const Context& context, const Order& order, const fs::path& program, const std::string& preload) {
  ExecReport report(context.err, order.file.string());
  Watched watched;
  watched.argv = {program.string()};
  watched.argv.insert(watched.argv.end(), order.arguments.begin(), order.arguments.end());
  watched.environment = [&](int descriptor) {
    cudart::DeviceOptions device = order.device;
    device.report = descriptor;
    std::map<std::string, std::string> set = {{"LD_LIBRARY_PATH", library_path(context)},
                                              {cudart::kOptionsVariable, cudart::device_options_text(device)}};
    if (!preload.empty()) set["LD_PRELOAD"] = preload;
    return set;
  };
  watched.on_line = [&](const std::string& line) {
    if (const std::string text = report.take(line); !text.empty()) complain(text);
  };
  const Result<WatchedEnd> end = run_watched(watched);
  if (!end) return could_not(end.error());
  if (end->signal != 0) complain(fmt::format("the program was ended by signal {} ({})\n", end->signal, ::strsignal(end->signal)));
  if (!order.quiet) complain(report.closing());
  if (!order.json.empty())
    if (Status ok = write_json(order, report, *end); !ok) return could_not(ok.error());
  if (end->signal != 0) return static_cast<Exit>(kSignalStatus + end->signal);
  if (end->status != 0) return static_cast<Exit>(end->status);
  return report.findings() > 0 || report.refused() > 0 ? Exit::kNotAccepted : Exit::kAccepted;
}

}  // namespace

Exit exec(const Context& context, const Arguments& arguments) {
  // What stands behind `--` is the program's, whatever it looks like.
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  cxxopts::Options words = describe();
  const Result<cxxopts::ParseResult> parsed = parse(words, Arguments(arguments.begin(), dashes));
  if (!parsed) return usage(parsed.error());
  if (parsed->count("help") > 0) return help(words);
  const Result<Order> order = order_from(*parsed, Arguments(dashes == arguments.end() ? dashes : dashes + 1, arguments.end()));
  if (!order) return usage(order.error());
  std::error_code ignored;
  if (!fs::is_regular_file(order->file, ignored)) return usage({"there is no such file", {order->file.string()}});

  std::optional<toolchain::Scratch> scratch;  // what nvcc makes goes when the program has ended
  fs::path program = fs::absolute(order->file);
  if (order->file.extension() == ".cu") {
    Result<toolchain::Scratch> made = toolchain::Scratch::make(context.cache());
    if (!made) return could_not(made.error());
    scratch.emplace(std::move(*made));
    const Result<fs::path> compiled = compile(context, *order, scratch->folder());
    if (!compiled) return could_not(compiled.error());
    if (compiled->empty()) return Exit::kCouldNot;
    program = *compiled;
  }
  const Result<std::string> preload = check_program(context, *order, program);
  if (!preload) return could_not(preload.error());
  return run_program(context, *order, program, *preload);
}

}  // namespace warpbook::commands
