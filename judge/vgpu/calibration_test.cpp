// What is counted must be what Nsight Compute counted on an H200: kernel by kernel on those of judge/tests/calibration, launch by launch on
// the solutions of the workbook.
#include <fmt/format.h>

#include <set>

#include "judge/device/occupancy.hpp"
#include "judge/tests/calibration/shapes.hpp"
#include "judge/vgpu/demangle.hpp"
#include "judge/vgpu/measured.hpp"
#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

namespace {

std::string calibration_ptx(const std::string& name) {
  const Result<std::string> text = read_file(std::string(WARPBOOK_SOURCE_DIR) + "/judge/tests/calibration/ptx/" + name + ".ptx");
  if (!text) FAIL(text.error().text());
  return *text;
}

/// Plain name -> name in the PTX.
std::map<std::string, std::string> kernels_of(const std::string& ptx) {
  const Result<ImagePointer> image = make_image(ptx);
  REQUIRE(image);
  std::map<std::string, std::string> names;
  for (const std::string& name : entry_names(**image)) names[plain_kernel_name(demangle(name))] = name;
  return names;
}

/// A GPU that goes on when uninitialised or racing kernels are counted: calibration kernels are not all good ones.
Options counting_only() {
  Options options;
  options.check_races = options.check_initialised = false;
  return options;
}

/// Every metric of `launch` equals the table's, or what explained.csv says it is, and why it differs, where the assembler changed the
/// access.
void compare(const device::Counters& counters, const Row& row, const std::string& launch) {
  static const std::vector<Row> explained = measured("explained.csv");
  INFO(launch);
  for (const auto& [metric, value] : device::as_ncu_metrics(counters)) {
    INFO(metric);
    const auto known = std::find_if(explained.begin(), explained.end(),
                                    [&, name = &metric](const Row& r) { return r.at("Launch") == launch && r.at("Metric") == *name; });
    if (known == explained.end()) {
      CHECK(value == std::stoull(row.at(metric)));
      continue;
    }
    CHECK(value == std::stoull(known->at("Virtual GPU")));
    CHECK(row.at(metric) == known->at("Nsight Compute"));
    CHECK_FALSE(known->at("Why").empty());
  }
}

device::Dim3 dim_of(const std::string& text) {
  device::Dim3 out;
  std::istringstream in(text);
  in >> out.x >> out.y >> out.z;
  return out;
}

}  // namespace

TEST_CASE("the calibration kernels cost what Nsight Compute says") {
  const std::string ptx = test_ptx("vgpu/calib");
  const auto names = kernels_of(ptx);
  std::size_t compared = 0;
  for (const Row& row : measured("ncu.csv")) {
    const std::string kernel = plain_kernel_name(row.at("Kernel Name"));
    TestGpu gpu(ptx, counting_only());
    const device::Address data = gpu.buffer(std::vector<float>(1 << 18)), out = gpu.buffer(std::vector<float>(1 << 14));
    const std::string& name = names.at(kernel);
    device::FunctionInfo info;
    REQUIRE(gpu.gpu->function_info(gpu.module, name, info).ok());
    const bool output_first = kernel.starts_with("s_") || kernel == "a_sh" || kernel == "a_shi" || kernel == "a_redf";
    const device::Address first = output_first ? out : data, second = output_first ? data : out;
    if (info.parameter_sizes.size() == 1) REQUIRE(gpu.launch(name, {1, 1, 1}, {32, 1, 1}, first).ok());
    if (info.parameter_sizes.size() == 2) REQUIRE(gpu.launch(name, {1, 1, 1}, {32, 1, 1}, first, second).ok());
    if (info.parameter_sizes.size() == 3) REQUIRE(gpu.launch(name, {1, 1, 1}, {32, 1, 1}, first, second, 0).ok());
    gpu.require_clean();
    compare(gpu.gpu->counters(), row, kernel);
    ++compared;
  }
  CHECK(compared == 33);
}

TEST_CASE("atomics, wide and partial accesses cost what Nsight Compute says") {
  const std::string ptx = calibration_ptx("more");
  const auto names = kernels_of(ptx);
  // The assembler keeps these arrays in registers and picks an element by comparisons; PTX has them in local memory.
  const std::set<std::string> kept_in_registers = {"p_same", "p_each", "p_odd"};
  std::size_t compared = 0;
  for (const Row& row : measured("more.csv")) {
    const std::string kernel = plain_kernel_name(row.at("Kernel Name"));
    if (kept_in_registers.count(kernel) > 0) continue;
    TestGpu gpu(ptx, counting_only());
    const device::Address a = gpu.buffer(std::vector<float>(1 << 18)), o = gpu.buffer(std::vector<float>(1 << 14));
    REQUIRE(gpu.launch(names.at(kernel), {1, 1, 1}, {32, 1, 1}, a, o).ok());
    gpu.require_clean();
    compare(gpu.gpu->counters(), row, kernel);
    ++compared;
  }
  CHECK(compared == 84);
}

namespace {

/// The parameter of the kernels of row-softmax.
struct Rows {
  device::Address x, y;
  int rows, cols;
  long long x_stride, y_stride;
};

/// Launches one kernel of a solution as its launch function does at `shape`; grid, block and shared memory are those of the table.
void launch_as_measured(TestGpu& gpu, const std::string& kernel, const std::string& entry, const Row& row, const calibration::Shape& s) {
  const auto tensor = [&](long long count) { return gpu.buffer(std::vector<float>(static_cast<std::size_t>(count), 0.5f)); };
  const device::Address x = tensor(s.rows * s.x_stride), y = tensor(s.rows * s.y_stride);
  const device::Dim3 grid = dim_of(row.at("Grid Size")), block = dim_of(row.at("Block Size"));
  gpu.dynamic_shared = std::stoull(row.at("launch__shared_mem_per_block_dynamic"));
  device::FunctionInfo info;
  REQUIRE(gpu.gpu->function_info(gpu.module, entry, info).ok());
  const std::size_t parameters = info.parameter_sizes.size();
  device::Answer answer{device::Code::kUnknown, "no way to launch it"};
  if (kernel.starts_with("row_sum_max")) {
    answer = gpu.launch(entry, grid, block, x, y, y + 4 * static_cast<device::Address>(s.rows), s.cols);
  } else if (kernel.starts_with("layernorm")) {
    const device::Address gamma = tensor(s.cols), beta = tensor(s.cols);
    answer = parameters == 7 ? gpu.launch(entry, grid, block, x, gamma, beta, y, s.rows, s.cols, 1e-5f)
                             : gpu.launch(entry, grid, block, x, gamma, beta, y, s.cols, 1e-5f);
  } else if (parameters == 3) {
    answer = gpu.launch(entry, grid, block, x, y, s.cols);
  } else if (parameters == 5) {
    answer = gpu.launch(entry, grid, block, x, y, s.cols, s.x_stride, s.y_stride);
  } else if (parameters == 1) {
    answer = gpu.launch(entry, grid, block, Rows{x, y, s.rows, s.cols, s.x_stride, s.y_stride});
  }
  INFO(answer.message);
  REQUIRE(answer.ok());
}

int task_of(const std::string& program) {
  if (!program.starts_with("lessons/")) return 0;
  return std::stoi(program.substr(std::string("lessons/").size(), 2));
}

}  // namespace

TEST_CASE("the solutions cost what Nsight Compute says") {
  std::string last;
  std::size_t at = 0, compared = 0;
  std::map<std::string, std::string> names;
  std::string ptx;
  for (const Row& row : measured("solutions.csv")) {
    const std::string &program = row.at("Program"), kernel = plain_kernel_name(row.at("Kernel Name"));
    const std::vector<calibration::Shape> shapes = calibration::shapes_of(task_of(program));
    // One row a launch, in order; only the second kernel of a pair stays at the shape of the first.
    if (program + row.at("Build") != last) {
      last = program + row.at("Build");
      at = 0;
      std::string file = program.substr(0, program.rfind('.'));
      std::replace(file.begin(), file.end(), '/', '+');
      ptx = calibration_ptx(file);
      names = kernels_of(ptx);
    } else if (kernel != "softmax_from_partials") {
      ++at;
    }
    REQUIRE(at < shapes.size());
    TestGpu gpu(ptx, counting_only());
    launch_as_measured(gpu, kernel, names.at(kernel), row, shapes[at]);
    gpu.require_clean();
    compare(gpu.gpu->counters(), row, fmt::format("{} {} {} {} x {}", program, row.at("Build"), kernel, shapes[at].rows, shapes[at].cols));
    ++compared;
  }
  CHECK(compared == 84);
}

TEST_CASE("occupancy is what Nsight Compute says") {
  device::Properties h200;
  h200.shared_per_multiprocessor = 228 * 1024;
  for (const Row& row : measured("solutions.csv")) {
    const auto number = [&](const std::string& column) { return std::stoi(row.at(column)); };
    const auto threads = static_cast<int>(dim_of(row.at("Block Size")).count());
    const int shared = number("launch__shared_mem_per_block_dynamic") + number("launch__shared_mem_per_block_static");
    const device::Occupancy o =
        device::occupancy_of(threads, number("launch__registers_per_thread"), static_cast<std::uint64_t>(shared), h200);
    INFO(row.at("Program") << " " << row.at("Kernel Name") << " " << row.at("Block Size"));
    CHECK(o.share() * 100 == Approx(std::stod(row.at("sm__maximum_warps_per_active_cycle_pct"))));
    CHECK(o.blocks == std::min({number("launch__occupancy_limit_blocks"), number("launch__occupancy_limit_registers"),
                                number("launch__occupancy_limit_shared_mem"), number("launch__occupancy_limit_warps")}));
  }
}

}  // namespace warpbook::vgpu::testing
