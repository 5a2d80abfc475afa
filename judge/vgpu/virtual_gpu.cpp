// The device behind the interface: modules, memory, launches, and the code that sticks after a fault.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "judge/vgpu/device_heap.hpp"
#include "judge/vgpu/launch.hpp"
#include "judge/vgpu/line_meters.hpp"
#include "judge/vgpu/memory.hpp"
#include "judge/vgpu/modules.hpp"
#include "judge/vgpu/stream_watch.hpp"
#include "judge/vgpu/vgpu.hpp"
#include "judge/vgpu/watch/init_watch.hpp"
#include "judge/vgpu/watch/race_watch.hpp"

namespace warpbook::vgpu {

namespace {

using device::Answer;
using device::Code;

/// What %envreg1 and %envreg2 of a cooperative launch point at: the counter of grid.sync().
constexpr std::uint64_t kGridWorkspaceBytes = 256;

class Gpu final : public VirtualGpu {
 public:
  explicit Gpu(const Options& options)
      : options_(options), memory_(options.properties.memory), heap_(memory_, options.heap_bytes, options.check_initialised) {}

  device::Properties properties() override { return options_.properties; }

  Answer load_module(std::string_view ptx, std::uint64_t& module) override {
    if (const Answer stuck = synchronize(); !stuck.ok()) return stuck;
    if (adopted_ != 0) {
      module = adopted_;
      return {};
    }
    Result<ImagePointer> image = make_image(ptx);
    if (!image) return {Code::kInvalidKernelImage, image.error().text()};
    return add_module(std::move(image).value(), module);
  }

  Answer unload_module(std::uint64_t module) override {
    if (module == adopted_ && module != 0) return {};
    streams_.forget_all();
    return modules_.erase(module) == 1 ? Answer{} : Answer{Code::kInvalidResourceHandle, "no such module"};
  }

  Answer function_info(std::uint64_t module, std::string_view name, device::FunctionInfo& info) override {
    const Program* program = nullptr;
    if (Answer found = find_program(module, name, program); !found.ok()) return found;
    info = {};
    for (const ptx::Parameter& parameter : program->entry().parameters) {
      info.parameter_sizes.push_back(parameter.bytes);
      info.parameter_offsets.push_back(parameter.offset);
    }
    info.parameter_bytes = program->parameter_bytes;
    info.max_threads_per_block = thread_limit(program->entry(), options_.properties);
    info.static_shared = program->static_shared;
    info.local_bytes = program->functions.front().local_bytes;
    for (const ptx::Variable& variable : program->module().variables) {
      if (variable.space == ptx::Space::kConst) info.constant_bytes += variable.bytes;
    }
    return {};
  }

  Answer find_variable(std::uint64_t module, std::string_view name, device::Address& address, std::uint64_t& bytes) override {
    const auto known = modules_.find(module);
    if (known == modules_.end()) return {Code::kInvalidResourceHandle, "no such module"};
    const Region* region = known->second->variable(name);
    if (region == nullptr) return {Code::kInvalidSymbol, fmt::format("the module has no variable '{}'", name)};
    address = region->base;
    bytes = region->bytes;
    return {};
  }

  Answer allocate(std::uint64_t bytes, device::Address& address) override { return allocate_named(bytes, 0, "", address); }

  Answer allocate_named(std::uint64_t bytes, std::uint64_t offset, std::string_view name, device::Address& address) override {
    if (!sticky_.ok()) return sticky_;
    Region* region = memory_.allocate(bytes, offset, name, ptx::Space::kGlobal);
    if (region != nullptr && options_.check_initialised) region->defined = std::make_shared<DefinedBytes>(bytes);
    if (region == nullptr) {
      return {Code::kMemoryAllocation,
              fmt::format("{} bytes asked for, {} of {} are free", bytes, memory_.capacity() - memory_.used(), memory_.capacity())};
    }
    address = region->base;
    return {};
  }

  Answer allocate_shared(std::uint64_t bytes, device::Address& address) override {
    if (!sticky_.ok()) return sticky_;
    const Region* region = memory_.allocate_shared(bytes, "");
    if (region == nullptr)
      return {Code::kMemoryAllocation,
              fmt::format("{} bytes for host and device asked for, {} are free", bytes, memory_.capacity() - memory_.used())};
    address = region->base;
    return {};
  }

  Answer share(std::byte* host, std::uint64_t bytes) override {
    if (!sticky_.ok()) return sticky_;
    return memory_.share(host, bytes) != nullptr ? Answer{} : Answer{Code{712}, "part of this host memory is registered already"};
  }

  Answer free(device::Address address) override {
    if (!sticky_.ok()) return sticky_;
    if (address == 0) return {};
    Region* region = memory_.find(address);
    if (region != nullptr && region->base != address) {
      return {Code::kInvalidValue, fmt::format("{:#x} is {} bytes into an allocation, not its beginning", address, address - region->base)};
    }
    if (memory_.release(address)) {
      streams_.forget(region);
      if (region != nullptr)
        region->freed = launches_ == 0 ? "before the first launch" : fmt::format("after launch {}, of {}", launches_, last_kernel_);
      return {};
    }
    const Region* freed = memory_.find_freed(address);
    if (freed == nullptr) return {Code::kInvalidValue, fmt::format("{:#x} was never allocated", address)};
    if (freed->base != address) {
      return {Code::kInvalidValue, fmt::format("{:#x} is {} bytes into an allocation of {} bytes, which has been freed before ({})",
                                               address, address - freed->base, freed->bytes, freed->freed)};
    }
    return {Code::kInvalidValue,
            fmt::format("{:#x} has been freed before: an allocation of {} bytes, freed {}", address, freed->bytes, freed->freed)};
  }

  Answer find_allocation(device::Address address, device::Address& base, std::uint64_t& bytes) override {
    const Region* region = memory_.find(address);
    if (region == nullptr) return {Code::kInvalidDevicePointer, fmt::format("{:#x} lies in no allocation", address)};
    base = region->base;
    bytes = region->bytes;
    return {};
  }

  Answer memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) override {
    total_bytes = memory_.capacity();
    free_bytes = total_bytes - memory_.used();
    return sticky_;
  }

  Answer write(device::Address to, std::span<const std::byte> from) override {
    std::byte* host = nullptr;
    const Answer found = host_range(to, from.size(), host);
    if (found.ok() && !from.empty()) {
      note_host(to, from.size(), true);
      std::memcpy(host, from.data(), from.size());
      mark_defined(to, from.size());
    }
    return found;
  }

  Answer read(std::span<std::byte> to, device::Address from) override {
    std::byte* host = nullptr;
    const Answer found = host_range(from, to.size(), host);
    if (found.ok() && !to.empty()) {
      note_host(from, to.size(), false);
      std::memcpy(to.data(), host, to.size());
    }
    return found;
  }

  Answer copy(device::Address to, device::Address from, std::uint64_t bytes) override {
    std::byte *target = nullptr, *source = nullptr;
    if (const Answer found = host_range(to, bytes, target); !found.ok()) return found;
    if (const Answer found = host_range(from, bytes, source); !found.ok()) return found;
    if (bytes == 0) return {};
    note_host(from, bytes, false);
    note_host(to, bytes, true);
    std::memmove(target, source, bytes);
    copy_defined(to, from, bytes);
    return {};
  }

  Answer fill(device::Address to, std::uint32_t value, int width, std::uint64_t count) override {
    if (width != 1 && width != 2 && width != 4)
      return {Code::kInvalidValue, fmt::format("an element of {} bytes cannot be repeated: 1, 2 or 4", width)};
    std::byte* host = nullptr;
    const auto bytes = static_cast<std::uint64_t>(width);
    if (count > ~std::uint64_t{0} / bytes) return {Code::kInvalidValue, "the range is longer than memory"};
    if (const Answer found = host_range(to, count * bytes, host); !found.ok()) return found;
    mark_defined(to, count * bytes);
    note_host(to, count * bytes, true);
    if (width == 1) {
      if (count != 0) std::memset(host, static_cast<int>(value & 0xFFu), count);
      return {};
    }
    for (std::uint64_t i = 0; i < count; ++i) std::memcpy(host + i * bytes, &value, bytes);  // little-endian: the low bytes
    return {};
  }

  Answer launch(const device::Launch& launch) override {
    if (!sticky_.ok()) return sticky_;
    const Program* program = nullptr;
    if (Answer found = find_program(launch.module, launch.function, program); !found.ok()) return found;
    if (Answer checked = check_launch(launch, *program, options_.properties); !checked.ok())
      return {checked.code, fmt::format("{}: {}", program->kernel, checked.message)};
    LaunchContext context{
        .program = *program, .launch = launch, .options = options_, .memory = memory_, .faults = faults_, .output = output_};
    context.heap = &heap_;
    if (launch.cooperative) {
      if (workspace_ == nullptr) workspace_ = memory_.allocate(kGridWorkspaceBytes, 0, "the grid's barrier", ptx::Space::kGlobal);
      if (workspace_ == nullptr) return {Code::kMemoryAllocation, "no memory for the grid's barrier"};
      context.grid_workspace = workspace_->base;
    }
    ++launches_;
    last_kernel_ = program->kernel;
    std::unique_ptr<RaceWatch> races;
    if (options_.check_races) races = std::make_unique<RaceWatch>(context);
    context.races = races.get();
    InitWatch initialised(context);
    if (options_.check_initialised) context.initialised = &initialised;
    std::optional<LineMeters> lines;
    if (options_.line_meters) context.lines = &lines.emplace(*program);
    if (options_.tracer) context.tracer = options_.tracer(launches_, context);
    const std::size_t findings_before = faults_.size();
    run_launch(context);
    context.settle();
    if (races != nullptr && context.errors == 0) streams_.launched(*program, *races, workspace_);
    counters_ += context.counters;
    keep_meters(context);
    // Two writes of one value leave the same memory whoever comes first; any other finding is a reason to try another order.
    const auto weighs = [](const device::Fault& fault) { return fault.severity != device::Severity::kInfo; };
    order_matters_ = order_matters_ || program->order_matters ||
                     std::any_of(faults_.begin() + static_cast<std::ptrdiff_t>(findings_before), faults_.end(), weighs);
    if (context.errors != 0) {
      const device::Fault& first = faults_[context.first_error];
      sticky_ = {first.code, first.message};
    }
    return {};
  }

  Answer synchronize() override { return sticky_; }
  std::string take_output() override { return std::exchange(output_, {}); }

  std::uint64_t adopt(ImagePointer image) override {
    std::uint64_t module = 0;
    if (add_module(std::move(image), module).ok()) adopted_ = module;
    return adopted_;
  }

  void set_read_only(device::Address address, bool on) override {
    if (Region* region = memory_.find(address)) region->read_only = on;
  }

  void expect_only_reads(device::Address address) override {
    if (Region* region = memory_.find(address)) region->only_read = true;
  }
  void set_heap_bytes(std::uint64_t bytes) override { heap_.set_limit(bytes); }

  device::Traffic traffic(device::Address address) const override {
    const Region* region = memory_.find(address);
    return region == nullptr ? device::Traffic{} : region->traffic;
  }

  std::uint64_t shadow_bytes(device::Address address) const override {
    const Region* region = memory_.find(address);
    if (region == nullptr) return 0;
    return (region->defined == nullptr ? 0 : region->defined->held_bytes()) + (region->races == nullptr ? 0 : region->races->held_bytes());
  }

  const std::vector<device::Fault>& faults() const override { return faults_; }
  device::Counters counters() const override { return counters_; }
  void begin_task(StreamTask task) { streams_.begin(options_.check_races ? std::move(task) : StreamTask{}); }
  std::vector<device::KernelMeters> kernel_meters() const override { return kernels_; }
  std::uint64_t launches() const override { return launches_; }
  bool order_matters() const override { return order_matters_; }
  void forget(device::Address address, std::uint64_t bytes) override {
    const Region* region = memory_.find(address);
    if (region != nullptr && region->defined != nullptr && region->holds(address, bytes))
      region->defined->forget(address - region->base, bytes);
  }

 private:
  void keep_meters(const LaunchContext& context) {
    const device::Launch& launch = context.launch;
    auto row = std::find_if(kernels_.begin(), kernels_.end(), [&](const device::KernelMeters& k) {
      return k.entry == launch.function && k.kernel == context.program.kernel && k.grid == launch.grid && k.block == launch.block &&
             k.dynamic_shared == launch.dynamic_shared;
    });
    if (row == kernels_.end()) {
      row = kernels_.emplace(row);
      row->kernel = context.program.kernel;
      row->entry = launch.function;
      row->grid = launch.grid;
      row->block = launch.block;
      row->static_shared = context.program.static_shared;
      row->dynamic_shared = launch.dynamic_shared;
    }
    ++row->launches;
    row->counters += context.counters;
    if (context.lines != nullptr) context.lines->add_to(*row);
  }

  Answer add_module(ImagePointer image, std::uint64_t& module) {
    const int target = image->module().target, own = options_.properties.major * 10 + options_.properties.minor;
    if (target > own) return {Code::kUnsupportedPtxVersion, fmt::format("the PTX is for sm_{}, the device is sm_{}", target, own)};
    Result<std::unique_ptr<LoadedModule>> loaded = LoadedModule::load(std::move(image), next_module_, memory_);
    if (!loaded) return {Code::kInvalidKernelImage, loaded.error().text()};
    module = next_module_++;
    modules_[module] = std::move(loaded).value();
    return {};
  }

  /// A copy or fill of the present task.
  void note_host(device::Address address, std::uint64_t bytes, bool writes) {
    const Region* region = streams_.active() ? memory_.find(address) : nullptr;
    if (region != nullptr) streams_.touched(*region, address, bytes, writes);
  }

  void mark_defined(device::Address address, std::uint64_t bytes) {
    const Region* region = bytes == 0 ? nullptr : memory_.find(address);
    if (region != nullptr && region->defined != nullptr) region->defined->mark(address - region->base, bytes);
  }

  /// What is copied is as defined as what it was copied from.
  void copy_defined(device::Address to, device::Address from, std::uint64_t bytes) {
    const Region *target = memory_.find(to), *source = memory_.find(from);
    if (target == source || target->defined == nullptr) return;
    if (source->defined == nullptr) target->defined->mark(to - target->base, bytes);
    else target->defined->copy(to - target->base, *source->defined, from - source->base, bytes);
  }

  Answer find_program(std::uint64_t module, std::string_view name, const Program*& program) {
    const auto known = modules_.find(module);
    if (known == modules_.end()) return {Code::kInvalidResourceHandle, "no such module"};
    Result<const Program*> found = known->second->program(name);
    if (!found) return {Code::kInvalidKernelImage, found.error().text()};
    if (*found == nullptr) return {Code::kInvalidDeviceFunction, fmt::format("the module has no kernel '{}'", name)};
    if ((*found)->parameters == nullptr) return {Code::kMemoryAllocation, "no memory for the kernel's parameters"};
    program = *found;
    return {};
  }

  /// The host memory behind [address, address + bytes), which must lie in one allocation.
  Answer host_range(device::Address address, std::uint64_t bytes, std::byte*& host) {
    if (!sticky_.ok()) return sticky_;
    if (bytes == 0) return {};
    const Region* region = memory_.find(address);
    if (region == nullptr) {
      const bool freed = memory_.find_freed(address) != nullptr;
      return {Code::kInvalidValue, fmt::format("{:#x} lies in {}", address, freed ? "an allocation that has been freed" : "no allocation")};
    }
    if (!region->holds(address, bytes)) {
      return {Code::kInvalidValue, fmt::format("{} bytes from {:#x} on end {} bytes past the allocation of {}", bytes, address,
                                               address + bytes - region->end(), region->bytes)};
    }
    host = region->data + (address - region->base);
    return {};
  }

  Options options_;
  Memory memory_;
  DeviceHeap heap_;
  std::map<std::uint64_t, std::unique_ptr<LoadedModule>> modules_;
  std::uint64_t next_module_ = 1, adopted_ = 0;
  Region* workspace_ = nullptr;
  std::vector<device::Fault> faults_;
  StreamWatch streams_{faults_};
  std::string output_;
  device::Counters counters_{};
  std::vector<device::KernelMeters> kernels_;
  std::uint64_t launches_ = 0;
  std::string last_kernel_;
  bool order_matters_ = false;
  Answer sticky_{};
};

}  // namespace

void begin_task(VirtualGpu& gpu, StreamTask task) { static_cast<Gpu&>(gpu).begin_task(std::move(task)); }

std::unique_ptr<VirtualGpu> VirtualGpu::create(const Options& options) { return std::make_unique<Gpu>(options); }

}  // namespace warpbook::vgpu
