#include "judge/trace/trace_case.hpp"

#include <fmt/format.h>

#include <chrono>

#include "judge/device/fault_json.hpp"
#include "judge/grade/case_jobs.hpp"
#include "judge/grade/case_runner.hpp"
#include "judge/grade/pool.hpp"
#include "judge/grade/vgpu_bench.hpp"
#include "judge/trace/sources.hpp"

namespace warpbook::trace {

namespace {

using nlohmann::json;

constexpr std::chrono::seconds kWallLimit{300};

json fault_of(const device::Fault& fault, const json& files) {
  json out = device::fault_to_json(fault);
  for (json& frame : out["frames"]) {
    const std::string name = frame.value("file", "");
    for (std::size_t i = 0; i < files.size(); ++i) {
      const std::string known = files[i]["name"].get<std::string>();
      if (name == known || name.ends_with("/" + known)) frame["number"] = i;
    }
  }
  return out;
}

json data_of(const Request& request, Recording recording, const grade::CaseResult& result) {
  json data;
  data["version"] = 1;
  data["title"] = fmt::format("{}: case {}, trace", request.task.id, request.chosen.name);
  data["task"] = request.task.id;
  data["case"] = {{"name", request.chosen.name}, {"about", request.chosen.about}, {"rows", result.rows}, {"cols", result.cols}};
  data["verdict"] = {{"code", grade::code_of(result.verdict)}, {"message", result.message}};
  put_recording(data, std::move(recording), request.options.root, request.built.result.file, request.built.text);
  if (result.fault) data["fault"] = fault_of(*result.fault, data["files"]);
  return data;
}

/// In the case's own process: the data, or {"error": why}.
json run_here(const Request& request, const vgpu::ImagePointer& image) {
  Recorder recorder(request.order);
  grade::VgpuBenchOptions bench_options;
  bench_options.image = image;
  bench_options.program_folder = request.options.program_folder;
  bench_options.fail = request.chosen.fail;
  bench_options.fail_at = request.chosen.fail_at;
  if (request.options.schedule) bench_options.schedule = *request.options.schedule;
  bench_options.tracer = [&](std::uint64_t launch, const vgpu::LaunchContext& context) { return recorder.at_launch(launch, context); };
  const std::unique_ptr<grade::Bench> bench = grade::make_vgpu_bench(bench_options);
  const grade::CaseResult result =
      grade::run_case(request.task, request.chosen, {request.options.seed, false, 0}, request.built.artifact->library, *bench);
  Recording recording = recorder.finish(!result.fault.has_value());
  if (recording.launch == 0) {
    const std::string why = result.message.empty() ? "" : fmt::format(" ({})", result.message);
    return {{"error", fmt::format("launch {} never came: the submission made {}{}",
                                  request.order.launch != 0 ? std::to_string(request.order.launch) : "of " + request.order.kernel,
                                  recording.launches, why)}};
  }
  if (recording.events.empty() && recording.steps == 0) {
    const std::string why = result.fault ? fmt::format("; the launch ended in another block: {}", result.message) : "";
    return {{"error", fmt::format("block ({}) of {} did not run: the grid is ({}){}",
                                  fmt::join(recording.index.get<std::vector<std::uint64_t>>(), ", "), recording.kernel,
                                  fmt::join(recording.grid.get<std::vector<std::uint32_t>>(), ", "), why)}};
  }
  if (recording.events.empty())
    return {{"error", fmt::format("--from {}: the block ends after {} steps of its warps", request.order.from, recording.steps)}};
  return data_of(request, std::move(recording), result);
}

}  // namespace

Result<json> trace_case(const Request& request) {
  const Result<vgpu::ImagePointer> image = grade::load_image(*request.built.artifact);
  if (!image) return image.error();
  json data;
  std::string failure;
  const auto job = [&](int) { return run_here(request, *image).dump(-1, ' ', false, json::error_handler_t::replace); };
  const auto done = [&](int, const grade::JobEnd& end) {
    if (end.ok) data = json::parse(end.text, nullptr, false);
    else if (end.interrupted) failure = "interrupted";
    else if (end.timed_out) failure = fmt::format("the case did not end within {} s", kWallLimit.count());
    else failure = fmt::format("the case's process ended by signal {}", end.signal);
  };
  grade::run_pool(1, {1, kWallLimit}, job, done);
  if (!failure.empty()) return Error{failure};
  if (!data.is_object()) return Error{"the case's process gave no trace"};
  if (data.contains("error")) return Error{data["error"].get<std::string>()};
  return data;
}

}  // namespace warpbook::trace
