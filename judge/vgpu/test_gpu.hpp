#pragma once
// What the tests of this room share: a device with one module, buffers, launches with typed arguments.
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "judge/base/files.hpp"
#include "judge/tests/catch.hpp"
#include "judge/vgpu/vgpu.hpp"

namespace warpbook::vgpu::testing {

/// The PTX beside a test kernel: judge/tests/ptx/vgpu/NAME.ptx.
inline std::string test_ptx(const std::string& name) {
  const Result<std::string> text = read_file(std::string(WARPBOOK_SOURCE_DIR) + "/judge/tests/ptx/" + name + ".ptx");
  if (!text) FAIL(text.error().text());
  return *text;
}

/// Number of the line of judge/tests/ptx/vgpu/FILE that carries `// here` inside `kernel`.
inline int marked_line(const std::string& kernel, const std::string& file = "wrong.cu") {
  const Result<std::string> text = read_file(std::string(WARPBOOK_SOURCE_DIR) + "/judge/tests/ptx/vgpu/" + file);
  if (!text) FAIL(text.error().text());
  bool inside = false;
  int number = 0;
  for (const std::string& line : split_lines(*text)) {
    ++number;
    if (line.find(" " + kernel + "(") != std::string::npos) inside = true;
    if (inside && line.find("// here") != std::string::npos) return number;
  }
  FAIL("no marked line in " << kernel);
  return 0;
}

class TestGpu {
 public:
  explicit TestGpu(const std::string& ptx, Options options = {}) : gpu(VirtualGpu::create(options)) {
    const device::Answer loaded = gpu->load_module(ptx, module);
    INFO(loaded.message);
    REQUIRE(loaded.ok());
  }

  template <class T>
  device::Address buffer(const std::vector<T>& values, const std::string& name = "") {
    device::Address address = 0;
    REQUIRE(gpu->allocate_named(values.size() * sizeof(T), 0, name, address).ok());
    REQUIRE(gpu->write(address, std::as_bytes(std::span(values))).ok());
    return address;
  }

  template <class T>
  std::vector<T> read(device::Address from, std::size_t count) {
    std::vector<T> values(count);
    const device::Answer answer = gpu->read(std::as_writable_bytes(std::span(values)), from);
    INFO(answer.message);
    REQUIRE(answer.ok());
    return values;
  }

  template <class... Arguments>
  device::Answer launch(const std::string& kernel, device::Dim3 grid, device::Dim3 block, const Arguments&... arguments) {
    device::Launch launch;
    launch.module = module;
    launch.function = kernel;
    launch.grid = grid;
    launch.block = block;
    launch.dynamic_shared = dynamic_shared;
    launch.dynamic_shared_limit = dynamic_shared_limit;
    launch.cooperative = cooperative;
    device::FunctionInfo info;
    if (const device::Answer found = gpu->function_info(module, kernel, info); !found.ok()) return found;
    launch.parameters.resize(info.parameter_bytes);
    std::size_t index = 0;
    (place(launch.parameters, info, index++, arguments), ...);
    return gpu->launch(launch);
  }

  /// The only error so far.
  const device::Fault& fault() {
    const device::Fault* only = nullptr;
    for (const device::Fault& fault : gpu->faults()) {
      if (fault.severity != device::Severity::kError) continue;
      if (only != nullptr) FAIL("two errors: " << only->message << "; " << fault.message);
      only = &fault;
    }
    if (only == nullptr) FAIL("no error");
    return *only;
  }

  /// Fails the test with the first finding's message, if there is one. Information (two lanes that write the same value) is none.
  void require_clean() {
    for (const device::Fault& fault : gpu->faults()) {
      if (fault.severity == device::Severity::kInfo) continue;
      FAIL(fault.message << " at line " << (fault.frames.empty() ? 0 : fault.frames.front().line));
    }
  }

  std::unique_ptr<VirtualGpu> gpu;
  std::uint64_t module = 0;
  std::uint64_t dynamic_shared = 0, dynamic_shared_limit = 0;
  bool cooperative = false;

 private:
  template <class T>
  static void place(std::vector<std::byte>& block, const device::FunctionInfo& info, std::size_t index, const T& value) {
    REQUIRE(index < info.parameter_offsets.size());
    REQUIRE(info.parameter_sizes[index] == sizeof(T));
    std::memcpy(block.data() + info.parameter_offsets[index], &value, sizeof(T));
  }
};

}  // namespace warpbook::vgpu::testing
