#include "judge/commands/grading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <thread>

#include "judge/gpu/driver.hpp"
#include "judge/gpu/gpu_bench.hpp"
#include "judge/task/task_folder.hpp"
#include "judge/toolchain/compile.hpp"

namespace warpbook::commands {
namespace {

constexpr int kMostJobs = 64;

/// Sets device and device_name; `wanted` is auto, vgpu or gpu.
Status choose_device(const std::string& wanted, grade::GradeOptions& options) {
  if (wanted == "vgpu") return Done{};
  const auto found = gpu::find_gpu();
  if (!found && wanted == "auto") return Done{};
  if (!found) return Error{"--device gpu: no GPU was found on this machine; --device vgpu runs on the virtual one"};
  options.device = grade::DeviceKind::kGpu;
  options.device_name = fmt::format("{} sm_{}{}", found->name, found->major, found->minor);
  options.make_gpu_bench = [root = options.toolkit.root] { return gpu::make_gpu_bench(root); };
  return Done{};
}

}  // namespace

Result<cxxopts::ParseResult> parse(cxxopts::Options& words, const Arguments& arguments) {
  std::vector<const char*> argv{"judge"};
  for (const std::string& a : arguments) argv.push_back(a.c_str());
  try {
    cxxopts::ParseResult parsed = words.parse(static_cast<int>(argv.size()), argv.data());
    if (!parsed.unmatched().empty()) return Error{fmt::format("unexpected argument '{}'", parsed.unmatched().front())};
    return parsed;
  } catch (const std::exception& e) {
    return Error{e.what()};
  }
}

Exit help(const cxxopts::Options& words) {
  say(words.help());
  return Exit::kAccepted;
}

void GradingWords::declare(cxxopts::Options& words) {
  words.add_options()("device", "auto, vgpu or gpu", cxxopts::value<std::string>()->default_value("auto"))(
      "seed", "seed of the hidden inputs", cxxopts::value<std::uint64_t>())("jobs", "how many processes at once", cxxopts::value<int>())(
      "case", "only this case (may be given several times)", cxxopts::value<std::vector<std::string>>())(
      "schedule", "virtual GPU: only this order of blocks and warps: ascending, descending or a number that shuffles them",
      cxxopts::value<std::string>());
}

Result<vgpu::Schedule> schedule_of(const std::string& text) {
  using Order = vgpu::Schedule::Order;
  if (text == "ascending") return vgpu::Schedule{};
  if (text == "descending") return vgpu::Schedule{Order::kDescending, 0};
  vgpu::Schedule schedule{Order::kSeeded, 0};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), schedule.seed);
  if (failed != std::errc{} || end != text.data() + text.size())
    return Error{fmt::format("--schedule is '{}', expected ascending, descending or a number", text)};
  return schedule;
}

Result<grade::GradeOptions> GradingWords::options(const Context& context, const cxxopts::ParseResult& parsed, std::uint64_t seed) const {
  grade::GradeOptions options;
  Result<toolchain::Toolkit> toolkit = toolchain::find_toolkit();
  if (!toolkit) return std::move(toolkit).error();
  options.toolkit = std::move(*toolkit);
  options.cache = context.cache();
  options.root = context.root;
  options.program_folder = context.program_folder;
  options.seed = parsed.count("seed") > 0 ? parsed["seed"].as<std::uint64_t>() : seed;
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options.jobs = std::clamp(parsed.count("jobs") > 0 ? parsed["jobs"].as<int>() : cores, 1, kMostJobs);
  if (parsed.count("case") > 0) options.only_cases = parsed["case"].as<std::vector<std::string>>();
  if (parsed.count("schedule") > 0) {
    const Result<vgpu::Schedule> schedule = schedule_of(parsed["schedule"].as<std::string>());
    if (!schedule) return schedule.error();
    options.schedule = *schedule;
  }
  if (Status ok = choose_device(parsed["device"].as<std::string>(), options); !ok) return std::move(ok).error();
  return options;
}

Status check_words(const cxxopts::ParseResult& parsed) {
  if (parsed.count("schedule") > 0) {
    if (const Result<vgpu::Schedule> schedule = schedule_of(parsed["schedule"].as<std::string>()); !schedule) return schedule.error();
  }
  const auto device = parsed["device"].as<std::string>();
  if (device != "auto" && device != "vgpu" && device != "gpu")
    return Error{fmt::format("--device is '{}', expected auto, vgpu or gpu", device)};
  if (parsed.count("jobs") > 0 && parsed["jobs"].as<int>() < 1) return Error{"--jobs is less than 1"};
  return Done{};
}

Status check_cases(const task::Task& task, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::any_of(task.cases.begin(), task.cases.end(), [&](const task::Case& c) { return c.name == name; })) continue;
    std::string known;
    for (const task::Case& c : task.cases) known += (known.empty() ? "" : ", ") + c.name;
    return Error{fmt::format("{} has no case '{}'; it has {}", task.id, name, known)};
  }
  return Done{};
}

Status check_report_file(const cxxopts::ParseResult& parsed, const std::string& option) {
  if (parsed.count(option) == 0) return Done{};
  const std::filesystem::path file = parsed[option].as<std::string>();
  std::error_code ignored;
  if (file.empty()) return Error{fmt::format("--{} names no file", option)};
  if (std::filesystem::is_directory(file, ignored))
    return Error{fmt::format("--{}: is a directory, expected a file", option), Where{file.string()}};
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (!std::filesystem::is_directory(folder, ignored))
    return Error{fmt::format("--{}: the folder {} does not exist", option, folder.string())};
  return Done{};
}

TaskCommand begin_task_command(const Context& context, const std::string& name, cxxopts::Options& words, const Arguments& arguments) {
  words.add_options()("help", "this text")("task", "", cxxopts::value<std::string>());
  TaskCommand command;
  const auto end = [&](Exit exit) {
    command.exit = exit;
    return command;
  };
  Result<cxxopts::ParseResult> parsed = parse(words, arguments);
  if (!parsed) return end(usage(parsed.error()));
  if (parsed->count("help") > 0) return end(help(words));
  if (parsed->count("task") == 0) return end(usage({fmt::format("{0} needs a task: judge {0} 05", name)}));
  Result<task::Task> task = find_task(context, (*parsed)["task"].as<std::string>());
  if (!task) return end(usage(task.error()));
  command.parsed = std::move(*parsed);
  command.task = std::move(*task);
  return command;
}

Result<task::Task> find_task(const Context& context, const std::string& name) { return task::find_task(context.root, name); }

Result<std::vector<task::Task>> find_tasks(const Context& context, const std::vector<std::string>& names) {
  if (names.empty()) {
    task::ReadTasks all = task::read_tasks(context.root);
    if (!all.broken.empty()) return all.broken.front().error;
    if (all.tasks.empty()) return Error{fmt::format("there is no lesson under {}", context.root.string())};
    return std::move(all.tasks);
  }
  std::vector<task::Task> out;
  for (const std::string& name : names) {
    Result<task::Task> one = find_task(context, name);
    if (!one) return std::move(one).error();
    out.push_back(std::move(*one));
  }
  return out;
}

}  // namespace warpbook::commands
