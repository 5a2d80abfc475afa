#include "judge/cudart/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "judge/cudart/crash.hpp"
#include "judge/cudart/fatbin.hpp"
#include "judge/device/codes.hpp"

namespace warpbook::cudart {

using device::Answer;
using device::Code;

Runtime& Runtime::get() {
  static Runtime* const runtime = new Runtime;
  return *runtime;
}

ChosenDevice& Runtime::chosen() {
  if (!chosen_) {
    chosen_ = choose_device();
    report_.set_descriptor(chosen_->report);
    install_crash_handler();
    // A program that ends without synchronising still shows what its kernels printed and did wrong.
    std::atexit([] {
      const std::lock_guard lock(get().mutex_);
      get().show_output();
    });
  }
  return *chosen_;
}

device::Device& Runtime::device() { return *chosen().device; }
bool Runtime::judged() { return chosen().judged; }
void Runtime::set_heap_bytes(std::uint64_t bytes) {
  if (chosen().set_heap_bytes) chosen().set_heap_bytes(bytes);
}

void Runtime::begin_task(vgpu::StreamTask task) {
  if (chosen().begin_task) chosen().begin_task(std::move(task));
}

const device::Properties& Runtime::properties() {
  if (!properties_) properties_ = device().properties();
  return *properties_;
}

Binary* Runtime::add_binary(const void* wrapper) {
  auto* binary = new Binary{wrapper};
  binaries_.insert(binary);
  return binary;
}

void Runtime::remove_binary(Binary* binary) {
  if (!binaries_.erase(binary)) return;
  std::erase_if(kernels_, [&](const auto& entry) { return entry.second.binary == binary; });
  std::erase_if(variables_, [&](const auto& entry) { return entry.second.binary == binary; });
  // The module stays: this runs at exit, when parts of an in-process device may be gone already.
  delete binary;
}

void Runtime::add_kernel(Binary* binary, const void* host, std::string name) {
  Kernel& kernel = kernels_[host];
  kernel = {};
  kernel.binary = binary;
  kernel.name = std::move(name);
}

void Runtime::add_variable(Binary* binary, const void* host, std::string name, bool managed) {
  Variable& variable = variables_[host];
  variable = {};
  variable.binary = binary;
  variable.name = std::move(name);
  variable.managed = managed;
}

Answer Runtime::load(Binary& binary) {
  if (binary.loaded) return binary.answer;
  binary.loaded = true;
  const int arch = 10 * properties().major + properties().minor;
  const auto bytes = fat_binary_of(binary.wrapper);
  Result<std::string> ptx = bytes ? best_ptx(*bytes, arch) : Result<std::string>(bytes.error());
  // A judge loads the module itself and may have compiled the device code apart: then there need not be any in here.
  if (!ptx && judged()) ptx = std::string();
  if (!ptx) {
    binary.answer = {Code{209}, ptx.error().what};
    return binary.answer;
  }
  binary.answer = device().load_module(*ptx, binary.module);
  return binary.answer;
}

Kernel* Runtime::find_kernel(const void* host, Answer& answer) {
  const auto at = kernels_.find(host);
  if (at == kernels_.end()) {
    answer = {Code::kInvalidDeviceFunction, "the function is not a kernel of this program"};
    return nullptr;
  }
  Kernel& kernel = at->second;
  if (!kernel.looked_up) {
    kernel.answer = load(*kernel.binary);
    if (kernel.answer.ok()) kernel.answer = device().function_info(kernel.binary->module, kernel.name, kernel.info);
    // A device that is broken now would not be asked again; its answer is about itself, not about the kernel.
    kernel.looked_up = !device::is_sticky(kernel.answer.code);
  }
  answer = kernel.answer;
  return answer.ok() ? &kernel : nullptr;
}

Variable* Runtime::find_variable(const void* host, Answer& answer) {
  // A managed variable is named by where it is, all others by the address of their host shadow.
  for (auto& [shadow, variable] : variables_)
    if (variable.managed && variable.looked_up && variable.address == reinterpret_cast<device::Address>(host)) return &variable;
  const auto at = variables_.find(host);
  if (at == variables_.end()) {
    answer = {Code::kInvalidSymbol, "the symbol is not a __device__ or __constant__ variable of this program"};
    return nullptr;
  }
  look_up(at->second);
  answer = at->second.answer;
  return answer.ok() ? &at->second : nullptr;
}

void Runtime::look_up(Variable& variable) {
  if (variable.looked_up) return;
  if (variable.managed && judged()) {
    variable.answer = {Code::kNotSupported, fmt::format("the __managed__ variable {} is out of reach when the judge runs the kernels: "
                                                        "use __device__ and cudaMemcpyToSymbol, or judge exec",
                                                        variable.name)};
    return;
  }
  variable.answer = load(*variable.binary);
  if (variable.answer.ok())
    variable.answer = device().find_variable(variable.binary->module, variable.name, variable.address, variable.bytes);
  variable.looked_up = !device::is_sticky(variable.answer.code);
}

bool Runtime::place_managed(const Binary* binary) {
  bool all = true;
  for (auto& [shadow, variable] : variables_) {
    if (variable.binary != binary || !variable.managed) continue;
    look_up(variable);
    all = all && variable.answer.ok();
    if (variable.answer.ok()) *static_cast<void**>(const_cast<void*>(shadow)) = reinterpret_cast<void*>(variable.address);
    if (!variable.answer.ok()) fmt::print(stderr, "warpbook: {}\n", variable.answer.message);
  }
  return all;
}

void Runtime::show_output() {
  if (!chosen_) return;
  const std::string printed = device().take_output();
  if (!printed.empty()) std::fwrite(printed.data(), 1, printed.size(), stdout);
  if (judged() || !chosen_->faults) return;
  const std::vector<device::Fault> faults = chosen_->faults();
  for (; faults_shown_ < faults.size(); ++faults_shown_) report_.finding(faults[faults_shown_]);
}

void Runtime::end(std::string_view how) {
  if (!chosen_) return;
  show_output();
  for (const auto& [address, allocation] : allocations) report_.leak(address, allocation.bytes, allocation.call);
  report_.end(how);
}

Answer Runtime::launch(const device::Launch& order) {
  if (!report_.to_judge() || !chosen_->counters) return device().launch(order);
  const device::Counters before = chosen_->counters();
  const Answer answer = device().launch(order);
  if (answer.ok()) report_.launched(order.function, before, chosen_->counters());
  return answer;
}

bool Runtime::is_shared(std::uintptr_t address) const {
  if (auto at = pinned.upper_bound(address); at != pinned.begin() && address - (--at)->first < at->second.bytes) return true;
  auto at = allocations.upper_bound(address);
  if (at != allocations.begin() && address - (--at)->first < at->second.bytes) return at->second.managed;
  return std::any_of(variables_.begin(), variables_.end(), [&](const auto& entry) {
    const Variable& variable = entry.second;
    return variable.managed && variable.looked_up && address - variable.address < variable.bytes;
  });
}

void Runtime::reset() {
  if (!chosen_) return;
  for (const auto& [address, allocation] : allocations) device().free(address);
  allocations.clear();
  for (Binary* binary : binaries_) {
    if (binary->loaded && binary->answer.ok()) device().unload_module(binary->module);
    binary->loaded = false;
  }
  for (auto& [host, kernel] : kernels_) {
    kernel.looked_up = false;
    kernel.dynamic_shared_limit = 0;
  }
  for (auto& [host, variable] : variables_) variable.looked_up = false;
}

}  // namespace warpbook::cudart
