#include "judge/trace/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"
#include "judge/grade/case_jobs.hpp"
#include "judge/trace/recorder.hpp"
#include "judge/trace/sources.hpp"
#include "judge/trace/trace_case.hpp"
#include "judge/vgpu/vgpu.hpp"

namespace warpbook::trace {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr unsigned kMostThreads = 1024;
constexpr std::size_t kMostElements = 4096;

Error failed(const std::string& file, const device::Answer& answer) { return Error{answer.message, {file}}; }

/// Allocates and fills what the kernel is given; appends the addresses to its parameters.
Result<std::vector<std::byte>> place(vgpu::VirtualGpu& gpu, const FigureLaunch& launch, const device::FunctionInfo& info,
                                     const std::string& file) {
  if (info.parameter_sizes.size() != launch.arguments.size())
    return Error{
        fmt::format("the kernel takes {} parameters, its first lines name {}", info.parameter_sizes.size(), launch.arguments.size()),
        {file}};
  std::vector<std::byte> parameters(info.parameter_bytes);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const FigureLaunch::Argument& argument = launch.arguments[i];
    if (info.parameter_sizes[i] != sizeof(device::Address))
      return Error{fmt::format("parameter {} is no pointer, expected const float* or float*", argument.name), {file}};
    device::Address address = 0;
    const std::uint64_t bytes = argument.values.size() * sizeof(float);
    if (const auto made = gpu.allocate_named(bytes, 0, argument.name, address); !made.ok()) return failed(file, made);
    if (const auto written = gpu.write(address, std::as_bytes(std::span(argument.values))); !written.ok()) return failed(file, written);
    if (argument.output) gpu.forget(address, bytes);
    std::memcpy(parameters.data() + info.parameter_offsets[i], &address, sizeof address);
  }
  return parameters;
}

}  // namespace

Result<FigureLaunch> figure_launch(const std::string& text) {
  FigureLaunch launch;
  int number = 0;
  for (const std::string& line : split_lines(text)) {
    ++number;
    std::istringstream words(line);
    std::string slashes, what, name;
    if (!(words >> slashes >> what) || slashes != "//") continue;
    const auto wrong = [&](const char* expected) { return Error{fmt::format("'{}', expected {}", line, expected), {"", number}}; };
    if (what == "threads") {
      if (!(words >> launch.threads) || launch.threads == 0 || launch.threads > kMostThreads) return wrong("threads N, from 1 to 1024");
    } else if (what == "in") {
      FigureLaunch::Argument argument;
      if (!(words >> argument.name)) return wrong("in NAME VALUE...");
      for (float value = 0; words >> value;) argument.values.push_back(value);
      if (argument.values.empty() || !words.eof()) return wrong("in NAME VALUE...");
      if (launch.arguments.empty() || launch.arguments.back().name != argument.name) launch.arguments.push_back(std::move(argument));
      else launch.arguments.back().values.insert(launch.arguments.back().values.end(), argument.values.begin(), argument.values.end());
    } else if (what == "out") {
      FigureLaunch::Argument argument;
      std::size_t count = 0;
      if (!(words >> argument.name >> count) || count == 0 || count > kMostElements) return wrong("out NAME COUNT, from 1 to 4096");
      argument.values.resize(count);
      argument.output = true;
      launch.arguments.push_back(std::move(argument));
    }
  }
  if (launch.arguments.empty()) return Error{"no line '// in NAME VALUE...' or '// out NAME COUNT'"};
  return launch;
}

Result<json> record_figure(const fs::path& root, const fs::path& file, const toolchain::Toolkit& toolkit,
                           toolchain::CompileOptions options) {
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  const Result<FigureLaunch> wanted = figure_launch(*text);
  const std::string name = file.lexically_relative(root).generic_string();
  if (!wanted) return Error{wanted.error().what, {name, wanted.error().where.line}};
  options.include = {root};
  const toolchain::CompileOutcome compiled = toolchain::compile(toolkit, {name, *text, {}, {}, kPrelude}, options);
  if (!compiled.ok) return Error{compiled.failure.summary};
  const Result<vgpu::ImagePointer> image = grade::load_image(compiled.artifact);
  if (!image) return image.error();
  const std::vector<std::string> entries = vgpu::entry_names(**image);
  if (entries.size() != 1) return Error{fmt::format("{} kernels, expected one", entries.size()), {name}};

  Order order;
  order.launch = 1;
  Recorder recorder(order);
  vgpu::Options device;
  device.tracer = [&](std::uint64_t number, const vgpu::LaunchContext& context) { return recorder.at_launch(number, context); };
  const std::unique_ptr<vgpu::VirtualGpu> gpu = vgpu::VirtualGpu::create(device);
  device::Launch launch;
  launch.module = gpu->adopt(*image);
  launch.function = entries.front();
  launch.grid = {1, 1, 1};
  launch.block = {wanted->threads, 1, 1};
  device::FunctionInfo info;
  if (const auto found = gpu->function_info(launch.module, launch.function, info); !found.ok()) return failed(name, found);
  Result<std::vector<std::byte>> parameters = place(*gpu, *wanted, info, name);
  if (!parameters) return std::move(parameters).error();
  launch.parameters = std::move(*parameters);
  if (const auto ran = gpu->launch(launch); !ran.ok()) return failed(name, ran);
  const auto finding = std::find_if(gpu->faults().begin(), gpu->faults().end(),
                                    [](const device::Fault& fault) { return fault.severity != device::Severity::kInfo; });
  if (finding != gpu->faults().end()) return Error{finding->message, {name}};

  Recording recording = recorder.finish(true);
  json data = {{"version", 1},
               {"task", file.parent_path().parent_path().filename().string()},
               {"case", {{"name", file.stem().string()}, {"about", ""}, {"rows", 1}, {"cols", 1}}},
               {"verdict", {{"code", "AC"}, {"message", ""}}},
               {"toolchain", toolkit.version}};
  put_recording(data, std::move(recording), root, name, *text);
  return data;
}

std::string figure_text(const json& recording) {
  std::string out = "{\n";
  for (auto entry = recording.begin(); entry != recording.end(); ++entry)
    out += fmt::format("{}{}: {}", entry == recording.begin() ? "" : ",\n", json(entry.key()).dump(), entry.value().dump());
  return out + "\n}\n";
}

std::vector<fs::path> figures_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "figures", none))
    if (entry.path().extension() == ".cu") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace warpbook::trace
