#pragma once
// The virtual GPU as others see it: a Device, plus what a judge may ask that a program may not.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/device/device.hpp"
#include "judge/device/kernel_meters.hpp"

namespace warpbook::ptx {
struct Module;
}

namespace warpbook::vgpu {

/// PTX read, checked and fused once; shared between devices (and across fork) without being parsed again.
class Image;
using ImagePointer = std::shared_ptr<const Image>;

/// Parses, applies the assembler's fusing rule, and finds reconvergence points. The error names PTX line and source line.
Result<ImagePointer> make_image(std::string_view ptx);
/// Names of the entries (kernels).
std::vector<std::string> entry_names(const Image& image);

/// In which order blocks and warps take turns. Every order is one that hardware may choose.
struct Schedule {
  enum class Order : std::uint8_t { kAscending, kDescending, kSeeded };
  Order order = Order::kAscending;
  std::uint64_t seed = 0;  ///< of kSeeded
};

struct LaunchContext;
class Tracer;
/// Asked at every launch, which counts from 1: who looks over its shoulder (watch/tracer.hpp), or null. The context lives as long as it.
using FindTracer = std::function<Tracer*(std::uint64_t launch, const LaunchContext& context)>;

struct Options {
  device::Properties properties{};
  std::uint64_t instruction_budget = 4'000'000'000;  ///< thread instructions per launch; beyond: FaultKind::kBudget
  int max_faults = 1;                                ///< a launch ends at this many errors
  Schedule schedule{};
  std::uint64_t heap_bytes = 8 << 20;                ///< that malloc on the device can give out: cudaLimitMallocHeapSize
  bool check_races = true, check_initialised = true;  ///< the watchers (watch/); bounds, alignment and lifetime are always checked
  bool line_meters = false;  ///< count by source line and note which sectors are touched; totals are counted always
  FindTracer tracer{};                                ///< empty: nobody asks
};

class VirtualGpu : public device::Device {
 public:
  static std::unique_ptr<VirtualGpu> create(const Options& options);

  /// A module the judge already has (the worker's load_module is then answered with it, whatever it sends).
  virtual std::uint64_t adopt(ImagePointer image) = 0;

  /// Like allocate, but the address is `offset` bytes past a multiple of 256, and reads and writes are checked to the byte.
  virtual device::Answer allocate_named(std::uint64_t bytes, std::uint64_t offset, std::string_view name, device::Address& address) = 0;
  /// Forbids kernels to write an allocation (an input): a write is FaultKind::kReadOnly. Off by default.
  virtual void set_read_only(device::Address address, bool on) = 0;
  /// Tells the watcher of races that kernels are expected only to read an allocation (an input): until one writes there after all, readers
  /// leave no shadow. What it costs: a race between a read before the first write and that write goes unseen; whoever sets this must
  /// notice the write itself (the judge does: "input changed").
  virtual void expect_only_reads(device::Address address) = 0;
  /// Bytes that malloc on the device can give out from now on (cudaLimitMallocHeapSize); what is allocated stays.
  virtual void set_heap_bytes(std::uint64_t bytes) = 0;
  virtual device::Traffic traffic(device::Address address) const = 0;
  /// Memory that the watchers keep about an allocation at present: at most 8 bytes for each of its bytes.
  virtual std::uint64_t shadow_bytes(device::Address address) const = 0;

  /// Says that nobody has written [address, address + bytes) yet, whatever lies there (the judge's fill pattern of an output).
  virtual void forget(device::Address address, std::uint64_t bytes) = 0;

  /// Findings so far, in order, warnings and information among them.
  virtual const std::vector<device::Fault>& faults() const = 0;
  /// True when a launch so far used atomics, flags, volatile accesses or fences, or drew a finding: only then can another order of blocks
  /// and warps legally change the answer.
  virtual bool order_matters() const = 0;
  virtual device::Counters counters() const = 0;
  /// A row for each kernel and launch configuration, in the order of first launches; with lines when Options::line_meters is set.
  virtual std::vector<device::KernelMeters> kernel_meters() const = 0;
  /// Number of launches that ran.
  virtual std::uint64_t launches() const = 0;
};

}  // namespace warpbook::vgpu
