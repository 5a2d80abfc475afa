#pragma once
// NVIDIA's driver, opened at run time: the judge links against nothing of CUDA and starts on machines that have none of it. Only what a
// judge needs of a GPU is here: memory that another process can open, and copies.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "judge/base/error.hpp"

namespace warpbook::gpu {

/// What CUDA's inter-process handles are: 64 bytes without meaning to us.
using IpcHandle = std::array<std::byte, 64>;

class Driver {
 public:
  /// Loads libcuda.so.1, takes device 0 and its primary context for the calling thread. Never call it in a process that forks afterwards:
  /// CUDA does not survive a fork.
  static Result<std::unique_ptr<Driver>> open();
  ~Driver();

  const std::string& name() const;
  int major() const;
  int minor() const;
  /// Bytes of the L2 cache; 0: not known.
  std::uint64_t l2_bytes() const;
  /// "0000:1b:00.0", by which other libraries know the same GPU; empty: not known.
  std::string bus_id() const;
  std::uint64_t free_bytes() const;

  Result<std::uint64_t> allocate(std::uint64_t bytes);
  Status write(std::uint64_t to, std::span<const std::byte> from);
  Status read(std::span<std::byte> to, std::uint64_t from);
  /// From device memory to device memory. The next call of this class that waits, waits for it.
  Status copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
  /// Waits for all that this process asked of the device.
  Status synchronize();
  Result<IpcHandle> export_memory(std::uint64_t address);

 private:
  struct Functions;
  Driver();
  Error failure(int code, const char* doing) const;
  std::unique_ptr<Functions> functions_;
  std::string name_;
  int major_ = 0, minor_ = 0;
  int device_ = 0;
};

/// The GPU of this machine as a short-lived child process sees it, so that the caller may still fork: "NVIDIA H200", 9, 0.
struct Found {
  std::string name;
  int major = 0, minor = 0;
};
std::optional<Found> find_gpu();

}  // namespace warpbook::gpu
