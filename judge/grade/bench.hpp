#pragma once
// The device as the judge sees it while one case runs: it places tensors, starts the worker, and reads back. One implementation works on
// the virtual GPU (vgpu_bench.cpp), one on a real one (judge/gpu/gpu_bench.cpp); what follows from their answers is decided in one place,
// case_runner.cpp, so that both devices give the same verdict for the same observation.
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/device/kernel_meters.hpp"
#include "judge/grade/result.hpp"

namespace warpbook::grade {

/// One argument of the launch function, in order.
struct Argument {
  std::string name;
  bool tensor = false;
  device::Address address = 0;    ///< tensors: device address, 0 for an absent one
  std::vector<std::byte> scalar;  ///< scalars: their bytes
};

/// What host code moved between itself and the device.
struct HostCopies {
  std::map<device::Address, std::uint64_t> fetched;  ///< bytes that went to the host, by the allocation they came from
  std::uint64_t sent = 0;                            ///< bytes that came from it, whereto does not matter: a device copy moves them on
};

/// How the submission's run ended, values aside.
struct BenchRun {
  Verdict verdict = Verdict::kAccepted;  ///< kAccepted: it ran to its end; values decide
  Reason reason = Reason::kNone;
  std::string message;
  std::optional<device::Fault> fault;
  std::vector<device::Fault> remarks;  ///< findings that are no errors
  bool order_matters = false;          ///< another order of blocks and warps could change the answer
  device::Counters counters;
  std::vector<device::KernelMeters> kernels;  ///< nothing where the device does not count
  std::string output;
  std::uint64_t launches = 0;
  std::optional<HostCopies> host_copies;  ///< nothing where the device does not see them
  std::string failed_call;        ///< the call that the case made fail, empty: none
  bool failure_returned = false;  ///< and the launch function returned an error: the outputs say nothing
};

class Bench {
 public:
  virtual ~Bench() = default;
  /// Bytes of pattern to lay around a tensor; 0 where the device itself checks every access.
  virtual std::int64_t red_zone_bytes() const = 0;
  virtual Result<device::Address> allocate(const std::string& name, std::uint64_t bytes) = 0;
  virtual Status write(device::Address to, std::span<const std::byte> from) = 0;
  /// Says that no kernel may take what lies at [address, address + bytes) for a value: an output before it is written, a gap. A device that
  /// cannot tell leaves it at the pattern that was written there.
  virtual void mark_unwritten(device::Address, std::uint64_t) {}
  /// Says that no kernel is expected to write the allocation at `address`: a device that watches for races need not remember its readers.
  /// A write there is no error yet; check_surroundings() finds what it changed.
  virtual void expect_only_reads(device::Address) {}
  virtual Status read(std::span<std::byte> to, device::Address from) = 0;
  /// Loads the library in a worker, calls its launch function, waits for the device.
  virtual BenchRun run(const std::filesystem::path& library, const std::vector<Argument>& arguments) = 0;
  /// Bytes that lanes requested of the allocation at `base`; nothing where the device does not count.
  virtual std::optional<device::Traffic> traffic(device::Address base) const = 0;
};

}  // namespace warpbook::grade
